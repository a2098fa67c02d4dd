#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ringside {

/// What the Trace Event Format and Perfetto's reader of it ask of a file, in so far as Ringside
/// uses it: Perfetto drops slices that overlap on a thread, arrows that meet no slice, and threads
/// without a name are numbers to whoever looks.
class TraceEventRules {
 public:
  using Json = nlohmann::json;

  /// One sentence a fault; empty: the file keeps all rules.
  std::vector<std::string> faults_of(const std::string& text) {
    const Json file = Json::parse(text, nullptr, false);
    if (!file.is_object() || !file.contains("traceEvents") || !file["traceEvents"].is_array())
      return {"no object with an array traceEvents"};
    expect(file.value("displayTimeUnit", "") == "ns", "displayTimeUnit is no ns");
    for (const Json& event : file["traceEvents"]) take(event);
    end();
    return std::move(faults_);
  }

  std::size_t slices = 0;
  std::map<std::string, std::size_t> threads;  ///< by name: how many
  std::set<std::string> processes;
  std::map<std::string, double> most;  ///< by `process/counter`: its largest value

 private:
  using Thread = std::pair<int, int>;
  struct Open {
    bool is_open = false;
    double begin = 0, last = -1;
  };

  void expect(bool holds, const std::string& fault) {
    if (!holds && faults_.size() < 20) faults_.push_back(fault);
  }

  void take(const Json& event) {
    const std::string phase = event.value("ph", "");
    const int pid = event.value("pid", -1);
    expect(pid > 0, "no process: " + event.dump());
    if (phase == "M") return take_name(event, pid);
    expect(event.contains("ts") && event["ts"].is_number() && event["ts"] >= 0,
           "no time: " + event.dump());
    expect(process_names_.contains(pid), "a process without a name: " + event.dump());
    if (phase == "C") return take_counter(event, pid);
    const Thread thread{pid, event.value("tid", -1)};
    expect(thread_names_.contains(thread), "a thread without a name: " + event.dump());
    Open& open = open_[thread];
    const double ts = event.value("ts", -1.0);
    if (phase == "B") {
      expect(!open.is_open, "a slice within a slice: " + event.dump());
      expect(ts >= open.last, "a slice before the end of the one before: " + event.dump());
      expect(!event.value("name", "").empty(), "a slice without a name: " + event.dump());
      open = {true, ts, ts};
      ++slices;
    } else if (phase == "E") {
      expect(open.is_open, "an end without a beginning: " + event.dump());
      expect(ts >= open.begin, "an end before its beginning: " + event.dump());
      open = {false, ts, ts};
    } else if (phase == "s" || phase == "f") {
      expect(open.is_open && ts >= open.begin, "an arrow outside all slices: " + event.dump());
      take_arrow(event, phase == "s", ts);
    } else {
      expect(false, "no such phase here: " + event.dump());
    }
  }

  void take_name(const Json& event, int pid) {
    const std::string what = event.value("name", "");
    if (what == "process_name") {
      process_names_[pid] = event["args"].value("name", "");
      processes.insert(process_names_[pid]);
    } else if (what == "thread_name") {
      const int tid = event.value("tid", -1);
      expect(used_threads_.insert(tid).second, "one number for two threads: " + event.dump());
      thread_names_.insert({pid, tid});
      ++threads[event["args"].value("name", "")];
    }
  }

  void take_counter(const Json& event, int pid) {
    const std::string name = process_names_[pid] + "/" + event.value("name", "");
    for (const auto& [series, value] : event["args"].items()) {
      expect(value.is_number() && value >= 0, "no number: " + event.dump());
      if (!value.is_number()) continue;
      most[name] = std::max(most[name], value.get<double>());
      expect(series != "%" || value <= 100.001, "more than all: " + event.dump());
      last_value_[name] = value;
    }
    expect(event["args"].size() == 1, "a counter of several: " + event.dump());
    const auto [at, is_new] = last_time_.try_emplace(name, -1.0);
    expect(event["ts"] > at->second, "a counter twice at one time: " + event.dump());
    at->second = event["ts"];
  }

  void take_arrow(const Json& event, bool is_start, double ts) {
    expect(event.value("cat", "") == "message" && event.value("name", "") == "message",
           "arrows that would not meet: " + event.dump());
    expect(is_start || event.value("bp", "") == "e", "an arrow to the next slice: " + event.dump());
    auto& ends = is_start ? starts_ : finishes_;
    expect(ends.try_emplace(event.value("id", -1), ts).second, "two arrows: " + event.dump());
  }

  void end() {
    for (const auto& [thread, open] : open_)
      expect(!open.is_open, "a slice without an end on thread " + std::to_string(thread.second));
    for (const auto& [id, ts] : starts_) {
      const auto finish = finishes_.find(id);
      expect(finish != finishes_.end() && finish->second >= ts,
             "arrow " + std::to_string(id) + " ends nowhere, or before it starts");
    }
    expect(starts_.size() == finishes_.size(), "arrows that start nowhere");
    for (const auto& [name, value] : last_value_)
      expect(value == 0, name + " is not idle at the end");
  }

  std::vector<std::string> faults_;
  std::map<int, std::string> process_names_;
  std::set<Thread> thread_names_;
  std::set<int> used_threads_;
  std::map<Thread, Open> open_;
  std::map<int, double> starts_, finishes_;
  std::map<std::string, double> last_time_, last_value_;
};

}  // namespace ringside
