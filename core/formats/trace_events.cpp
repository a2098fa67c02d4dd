#include "core/formats/trace_events.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <tuple>

#include "core/binding.hpp"
#include "core/message.hpp"

namespace ringside {
namespace {

constexpr std::size_t block_size = 1u << 20;

std::string in_json(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Microseconds with three decimals.
std::string time_text(TimePoint at) {
  const auto ns = at.picoseconds / 1000;
  std::string decimals = std::to_string(1000 + ns % 1000);
  decimals.front() = '.';
  return std::to_string(ns / 1000) + decimals;
}

std::string decimal(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f", value);
  return text.data();
}

/// How much each transfer carries.
std::vector<Bytes> sizes_of(const RecordedRun& run) {
  const Work work{.schedule = run.schedule.get(), .count = *run.row.count, .type = *run.row.type};
  const ChunkLayout layout = layout_of(work);
  std::vector<Bytes> sizes;
  for (const Transfer& t : run.schedule->transfers())
    sizes.push_back(message_elements(t, layout) * size_of(*run.row.type));
  return sizes;
}

/// What a thread shows of a channel.
enum class Way : std::uint8_t { out, in, local };
constexpr std::array<const char*, 3> way_names{"sends", "receives", "local"};

/// A slice to be.
struct Piece {
  Rank rank;
  ChannelId channel;
  Way way;
  TimePoint from, to;
  TransferId id;

  auto thread() const { return std::tuple(rank, channel, way); }
  auto key() const { return std::tuple(rank, channel, way, from, id); }
};

std::vector<Piece> pieces_of(const RecordedRun& run) {
  std::vector<Piece> pieces;
  pieces.reserve(2 * run.spans.size());
  for (TransferId id{0}; id.value < run.spans.size(); ++id.value) {
    const Transfer& t = (*run.schedule)[id];
    const Span& span = run.spans[id.value];
    if (t.is_local()) {
      pieces.push_back({t.src().rank, t.channel(), Way::local, span.begin, span.commit, id});
      continue;
    }
    const auto first = std::min(span.begin + std::max(span.arrival - span.read, Duration{}),
                                span.arrival);  // of its bytes to arrive
    pieces.push_back({t.src().rank, t.channel(), Way::out, span.begin, span.read, id});
    pieces.push_back({t.dst().rank, t.channel(), Way::in, first, span.commit, id});
  }
  std::ranges::sort(pieces, {}, &Piece::key);
  return pieces;
}

std::string place_text(const Slot& slot) {
  constexpr std::array<const char*, 3> buffers{"input ", "output ", "scratch "};
  return buffers[static_cast<std::size_t>(slot.buffer)] + std::to_string(slot.chunk.value);
}

class Writer {
 public:
  Writer(const TraceEvents& events, const std::function<Result<void>(std::string_view)>& sink)
      : events_(events), run_(events.run), sink_(sink), sizes_(sizes_of(events.run)) {}

  Result<void> write() {
    text_ = "{\"displayTimeUnit\": \"ns\",\n \"otherData\": {\"version\": " +
            in_json("ringside " + events_.version) + ", \"command\": " + in_json(events_.command) +
            ", \"clock\": " + in_json(run_.is_measured ? "measured" : "simulated") +
            ", \"backend\": " + in_json(run_.row.backend) + "},\n \"traceEvents\": [";
    const auto ranks = run_.schedule->participants();
    for (std::uint32_t r = 0; r < ranks; ++r) RS_TRY(name_process(r + 1, rank_name(r)));
    RS_TRY(write_slices());
    RS_TRY(write_counters(ranks));
    text_ += "\n ]}\n";
    return sink_(text_);
  }

 private:
  Result<void> put(const std::string& event) {
    text_ += (is_first_ ? "\n  {" : ",\n  {") + event + "}";
    is_first_ = false;
    if (text_.size() < block_size) return {};
    RS_TRY(sink_(text_));
    text_.clear();
    return {};
  }

  std::string rank_name(std::uint32_t rank) const {
    const auto ranks = run_.schedule->spec().ranks;
    std::string name = rank < ranks ? "rank " + std::to_string(rank)
                                    : "switch agent " + std::to_string(rank - ranks);
    if (rank < events_.places.size()) name += " (" + events_.places[rank] + ")";
    return name;
  }

  Result<void> name_process(std::uint32_t process, const std::string& name) {
    const std::string of = "\"ph\": \"M\", \"pid\": " + std::to_string(process);
    RS_TRY(put(of + ", \"name\": \"process_name\", \"args\": {\"name\": " + in_json(name) + "}"));
    return put(of + ", \"name\": \"process_sort_index\", \"args\": {\"sort_index\": " +
               std::to_string(process) + "}");
  }

  Result<void> name_thread(const std::string& place, const Piece& piece, std::size_t lane) {
    std::string name = "channel " + std::to_string(piece.channel.value) + " " +
                       way_names[static_cast<std::size_t>(piece.way)];
    if (lane > 0) name += ", " + std::to_string(lane + 1);
    const std::string of = "\"ph\": \"M\", " + place;
    RS_TRY(put(of + ", \"name\": \"thread_name\", \"args\": {\"name\": " + in_json(name) + "}"));
    return put(of + ", \"name\": \"thread_sort_index\", \"args\": {\"sort_index\": " +
               std::to_string(threads_) + "}");
  }

  /// Each on the first thread of its channel that is free by then.
  Result<void> write_slices() {
    struct Lane {
      std::uint32_t thread;
      TimePoint end;
    };
    std::vector<Lane> lanes;
    const Piece* before = nullptr;
    const auto pieces = pieces_of(run_);
    for (const Piece& piece : pieces) {
      if (before == nullptr || before->thread() != piece.thread()) lanes.clear();
      before = &piece;
      const auto free =
          std::ranges::find_if(lanes, [&](const Lane& l) { return l.end <= piece.from; });
      const auto lane = static_cast<std::size_t>(free - lanes.begin());
      const bool is_new = lane == lanes.size();
      if (is_new) lanes.push_back({++threads_, {}});
      lanes[lane].end = piece.to;
      const std::string place = "\"pid\": " + std::to_string(piece.rank.value + 1) +
                                ", \"tid\": " + std::to_string(lanes[lane].thread);
      if (is_new) RS_TRY(name_thread(place, piece, lane));
      RS_TRY(write_slice(piece, place));
    }
    return {};
  }

  Result<void> write_slice(const Piece& piece, const std::string& place) {
    const Transfer& t = (*run_.schedule)[piece.id];
    const std::string begin = place + ", \"ts\": " + time_text(piece.from);
    RS_TRY(put("\"ph\": \"B\", \"cat\": \"transfer\", \"name\": \"" + slice_name(t, piece.way) +
               "\", " + begin + ", \"args\": {" + details(piece) + "}"));
    if (piece.way != Way::local)
      RS_TRY(put("\"ph\": \"" + std::string(piece.way == Way::out ? "s" : "f\", \"bp\": \"e") +
                 "\", \"cat\": \"message\", \"name\": \"message\", \"id\": " +
                 std::to_string(piece.id.value) + ", " + begin));
    return put("\"ph\": \"E\", " + place + ", \"ts\": " + time_text(piece.to));
  }

  std::string slice_name(const Transfer& t, Way way) const {
    const std::string action = t.action() == Action::copy ? "copy" : "reduce";
    if (way == Way::local) return action;
    return way == Way::out ? action + " to " + std::to_string(t.dst().rank.value)
                           : action + " from " + std::to_string(t.src().rank.value);
  }

  std::string details(const Piece& piece) const {
    const Transfer& t = (*run_.schedule)[piece.id];
    const Span& span = run_.spans[piece.id.value];
    std::string text = "\"transfer\": " + std::to_string(piece.id.value) +
                       ", \"step\": " + std::to_string(run_.schedule->step(piece.id).value) +
                       ", \"bytes\": " + std::to_string(sizes_[piece.id.value].count);
    if (piece.way != Way::in)
      text += ", \"from\": \"" + place_text(t.src()) + "\", \"ready_us\": " + time_text(span.ready);
    if (piece.way != Way::out)
      text +=
          ", \"to\": \"" + place_text(t.dst()) + "\", \"arrival_us\": " + time_text(span.arrival);
    return text;
  }

  Result<void> write_counters(std::uint32_t last_process) {
    const auto& stretches = events_.used.stretches;
    if (stretches.empty()) return {};
    RS_TRY(name_process(last_process + 1, "links: bytes under way"));
    RS_TRY(name_process(last_process + 2, "links: in use"));
    for (auto begin = stretches.begin(); begin != stretches.end();) {
      const auto end = std::find_if(begin, stretches.end(),
                                    [&](const LinkStretch& s) { return s.link != begin->link; });
      RS_TRY(write_wire(std::span(begin, end), last_process));
      begin = end;
    }
    return {};
  }

  Result<void> write_wire(std::span<const LinkStretch> stretches, std::uint32_t last_process) {
    struct Change {
      TimePoint at;
      std::int64_t bytes, rate;
    };
    std::vector<Change> changes;
    for (const LinkStretch& s : stretches) {
      const auto bytes = static_cast<std::int64_t>(sizes_[s.transfer.value].count);
      const auto rate = static_cast<std::int64_t>(s.rate.bytes_per_second);
      changes.push_back({s.from, bytes, rate});
      changes.push_back({s.to, -bytes, -rate});
    }
    std::ranges::sort(changes, {}, &Change::at);
    const UsedWires::Wire& wire = events_.used.wires[stretches.front().link.value];
    std::int64_t bytes = 0, rate = 0;
    for (auto c = changes.begin(); c != changes.end(); ++c) {
      bytes += c->bytes;
      rate += c->rate;
      const auto next = c + 1;
      if (next != changes.end() && next->at.picoseconds / 1000 == c->at.picoseconds / 1000)
        continue;
      const std::string at = ", \"ts\": " + time_text(c->at) + ", \"args\": {";
      RS_TRY(put("\"ph\": \"C\", \"pid\": " + std::to_string(last_process + 1) + ", \"name\": " +
                 in_json(wire.name) + at + "\"bytes\": " + std::to_string(bytes) + "}"));
      RS_TRY(put("\"ph\": \"C\", \"pid\": " + std::to_string(last_process + 2) +
                 ", \"name\": " + in_json(wire.name) + at + in_use(wire, rate) + "}"));
    }
    return {};
  }

  static std::string in_use(const UsedWires::Wire& wire, std::int64_t rate) {
    const auto used = static_cast<double>(rate);
    if (wire.bandwidth.bytes_per_second == 0) return "\"GB/s\": " + decimal(used * 1e-9);
    return "\"%\": " + decimal(100 * used / static_cast<double>(wire.bandwidth.bytes_per_second));
  }

  const TraceEvents& events_;
  const RecordedRun& run_;
  const std::function<Result<void>(std::string_view)>& sink_;
  std::vector<Bytes> sizes_;
  std::string text_;
  bool is_first_ = true;
  std::uint32_t threads_ = 0;
};

}  // namespace

UsedWires wires_between_ranks(const RecordedRun& run) {
  UsedWires used;
  const auto sizes = sizes_of(run);
  std::map<std::pair<Rank, Rank>, LinkId> known;
  for (const Transfer& t : run.schedule->transfers())
    if (!t.is_local()) known.try_emplace({t.src().rank, t.dst().rank});
  for (auto& [pair, link] : known) {
    link = {static_cast<std::uint32_t>(used.wires.size())};
    used.wires.push_back(
        {"rank" + std::to_string(pair.first.value) + "->rank" + std::to_string(pair.second.value)});
  }
  for (TransferId id{0}; id.value < run.spans.size(); ++id.value) {
    const Transfer& t = (*run.schedule)[id];
    const Span& span = run.spans[id.value];
    const Duration time = span.read - span.begin;
    if (t.is_local() || time <= Duration{}) continue;
    const double rate = static_cast<double>(sizes[id.value].count) / time.seconds();
    used.stretches.push_back({.link = known[{t.src().rank, t.dst().rank}],
                              .transfer = id,
                              .from = span.begin,
                              .to = span.read,
                              .rate = {static_cast<std::uint64_t>(std::min(rate, 0x1p53))}});
  }
  std::ranges::sort(used.stretches, {},
                    [](const LinkStretch& s) { return std::tuple(s.link, s.from, s.transfer); });
  return used;
}

Result<void> write_trace_events(const TraceEvents& events,
                                const std::function<Result<void>(std::string_view)>& sink) {
  return Writer(events, sink).write();
}

}  // namespace ringside
