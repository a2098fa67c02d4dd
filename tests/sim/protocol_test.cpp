#include "sim/protocol.hpp"

#include <gmock/gmock.h>

#include "sim/tuner/figures.hpp"

namespace ringside::sim {
namespace {

using ::testing::HasSubstr;

TEST(Protocol, NamesAreReadInAnyCase) {
  for (const auto protocol : {Protocol::simple, Protocol::ll, Protocol::ll128})
    EXPECT_EQ(*parse_protocol(name(protocol)), protocol);
  EXPECT_EQ(*parse_protocol("ll128"), Protocol::ll128);
  EXPECT_THAT(parse_protocol("smple").error().message, HasSubstr("did you mean Simple?"));
}

TEST(Protocol, FlagsTakeTheirShareOfTheWire) {
  EXPECT_EQ(protocol_time(1'000'000_B, 1_GBps, Protocol::simple), 1000_us);
  EXPECT_EQ(protocol_time(1'000'000_B, 1_GBps, Protocol::ll), 2000_us);
  EXPECT_EQ(protocol_time(120_B, 1_GBps, Protocol::ll128), 128_ns) << "a whole line";
  EXPECT_EQ(protocol_time(121_B, 1_GBps, Protocol::ll128), 137_ns) << "and the flag of another";
}

TEST(Protocol, ASlotHoldsItsBytesAndTheirFlags) {
  for (const auto protocol : {Protocol::simple, Protocol::ll, Protocol::ll128}) {
    const Fifo f = fifo(protocol);
    EXPECT_EQ(static_cast<double>(f.payload.count),
              static_cast<double>(f.slot.count) * payload_share(protocol));
    EXPECT_LE(f.slice, 8 * f.payload);
  }
}

TEST(Protocol, FlagsInTheDataAreSeenSooner) {
  for (const char* generation : {"volta", "ampere", "hopper", "blackwell", "cdna3"})
    for (const auto wire : {Wire::nvlink, Wire::xgmi, Wire::pcie, Wire::host, Wire::network})
      EXPECT_LT(*hop_latency(wire, Protocol::ll, generation),
                *hop_latency(wire, Protocol::simple, generation));
  EXPECT_FALSE(hop_latency(Wire::nvlink, Protocol::ll, "fermi"));
}

TEST(Figures, FilesAreReadStrictly) {
  const auto says = [](std::string_view name, std::string_view toml) {
    const FiguresText text{name, toml};
    const auto read = read_figures({&text, 1});
    return read ? std::string("read") : read.error().message;
  };
  EXPECT_THAT(says("common", ""), HasSubstr("launch is missing"));
  EXPECT_THAT(says("common", "launch = 6"), HasSubstr("common.toml:1"));
  EXPECT_THAT(says("common", "launch = \"-1us\""), HasSubstr("is written \"1.5us\""));
  EXPECT_THAT(says("common", "launch = [\"1us\"]"), HasSubstr("or as two of these"));
  EXPECT_THAT(says("wires", ""), HasSubstr("no [nvlink]"));
}

}  // namespace
}  // namespace ringside::sim
