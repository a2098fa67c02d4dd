#include "lessons/training/phase_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

namespace ringside::training {
namespace {

std::string in_json(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string microseconds_of(TimePoint at) {
  const auto ns = at.picoseconds / 1000;
  return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

/// What a worker sends or receives.
enum class Way : std::uint8_t { out, in };

/// A message at one of its ends.
struct Piece {
  Rank worker;
  Way way;
  TimePoint from, to;
  Rank other;

  auto key() const { return std::tuple(worker, way, from, to); }
};

std::vector<Piece> pieces_of(const TrainingRun& run) {
  std::vector<Piece> pieces;
  for (const MessageSpans& of_step : run.messages)
    for (TransferId id{0}; id.value < of_step.spans.size(); ++id.value) {
      const Transfer& t = (*run.schedule)[id];
      if (t.is_local()) continue;
      const Span& span = of_step.spans[id.value];
      const Rank from = t.src().rank, to = t.dst().rank;
      const TimePoint start = of_step.begin;
      pieces.push_back({from, Way::out, start + span.begin, start + span.read, to});
      pieces.push_back(
          {to, Way::in, start + std::min(span.read, span.arrival), start + span.commit, from});
    }
  std::ranges::sort(pieces, {}, &Piece::key);
  return pieces;
}

class Writer {
 public:
  using Sink = std::function<Result<void>(std::string_view)>;
  Writer(const TrainingRun& run, const Sink& sink) : run_(run), sink_(sink) {}

  Result<void> write(const TraceOrigin& origin) {
    text_ = fmt::format(
        "{{\"displayTimeUnit\": \"ns\",\n \"otherData\": {{\"version\": {}, \"command\": {}, "
        "\"clock\": \"measured\", \"backend\": {}}},\n \"traceEvents\": [",
        in_json("ringside " + origin.version), in_json(origin.command), in_json(run_.executor));
    for (std::uint32_t w = 0; w < run_.asked.workers; ++w) {
      RS_TRY(
          put(fmt::format("\"ph\": \"M\", \"pid\": {}, \"name\": \"process_name\", \"args\": "
                          "{{\"name\": \"worker {}\"}}",
                          w + 1, w)));
      RS_TRY(name_thread(w + 1, ++threads_, "phases"));
    }
    for (const PhaseSpan& span : run_.spans)
      RS_TRY(slice({span.worker.value + 1, span.worker.value + 1, span.begin, span.end},
                   std::string(name(span.phase)), fmt::format("\"step\": {}", span.step + 1)));
    RS_TRY(write_messages());
    text_ += "\n ]}\n";
    return sink_(text_);
  }

 private:
  struct Place {
    std::uint32_t process, thread;
    TimePoint from, to;
  };

  Result<void> put(const std::string& event) {
    text_ += (is_first_ ? "\n  {" : ",\n  {") + event + "}";
    is_first_ = false;
    constexpr std::size_t block = 1U << 20;
    if (text_.size() < block) return {};
    RS_TRY(sink_(text_));
    text_.clear();
    return {};
  }

  Result<void> name_thread(std::uint32_t process, std::uint32_t thread, const std::string& name) {
    return put(
        fmt::format("\"ph\": \"M\", \"pid\": {}, \"tid\": {}, \"name\": \"thread_name\", "
                    "\"args\": {{\"name\": \"{}\"}}",
                    process, thread, name));
  }

  Result<void> slice(const Place& at, const std::string& called, const std::string& details) {
    const auto place = fmt::format("\"pid\": {}, \"tid\": {}, \"ts\": ", at.process, at.thread);
    RS_TRY(put("\"ph\": \"B\", \"cat\": \"training\", \"name\": \"" + called + "\", " + place +
               microseconds_of(at.from) + ", \"args\": {" + details + "}"));
    return put("\"ph\": \"E\", " + place + microseconds_of(at.to));
  }

  /// Slices of a thread may not overlap: each message goes to the first thread that is free.
  Result<void> write_messages() {
    struct Lane {
      std::uint32_t thread;
      TimePoint busy_until;
    };
    std::vector<Lane> lanes;  // of one worker and way
    const Piece* before = nullptr;
    const auto pieces = pieces_of(run_);
    for (const Piece& piece : pieces) {
      if (before != nullptr && (before->worker != piece.worker || before->way != piece.way))
        lanes.clear();
      before = &piece;
      const std::uint32_t process = piece.worker.value + 1;
      const bool is_out = piece.way == Way::out;
      auto lane = std::ranges::find_if(
          lanes, [&](const Lane& one) { return one.busy_until <= piece.from; });
      if (lane == lanes.end()) {
        lane = lanes.insert(lane, {++threads_, {}});
        RS_TRY(name_thread(process, threads_, is_out ? "sends" : "receives"));
      }
      lane->busy_until = piece.to;
      RS_TRY(slice({process, lane->thread, piece.from, piece.to},
                   fmt::format("{} worker {}", is_out ? "to" : "from", piece.other.value), ""));
    }
    return {};
  }

  const TrainingRun& run_;
  const Sink& sink_;
  std::string text_;
  bool is_first_ = true;
  std::uint32_t threads_ = 0;  ///< so far: no two of a file have one number
};

}  // namespace

Result<void> write_phase_events(const TrainingRun& run, const TraceOrigin& origin,
                                const std::function<Result<void>(std::string_view)>& sink) {
  return Writer(run, sink).write(origin);
}

}  // namespace ringside::training
