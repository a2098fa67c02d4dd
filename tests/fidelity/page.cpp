// The page of the study, and the fitted figures back in their files.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/suggest.hpp"
#include "tests/fidelity/study.hpp"

namespace ringside::fidelity {
namespace {

constexpr const char* opening = R"(# How far to trust the times

<!-- Written by the program tests/fidelity: see the end of this page. -->

`ringside simulate --algorithm auto` and `ringside compare` predict what nccl-tests would show on a
machine, with an analytic model of NCCL (`sim/tuner.hpp`): a launch floor, hops, bytes over what
the protocol gets out of the narrowest link, and the filling of the pipeline. Here it is held
against published nccl-tests runs. An error is |predicted - measured| / measured of a row's time.

*Published* is the model with figures from public sources alone. *Fitted* has them moved to where
they fit these logs. *Held out* is the honest one: each log is judged by a fit that saw no log of
its family (the same machine); what only that family could tell then stays as published. *NCCL's
cost model* is what NCCL 2.30 itself chooses by, fed with each platform's channels; *alpha-beta*
is a plain ring of latencies and bandwidths.

)";

constexpr const char* closing = R"(
## What the model has, and what not

- A launch costs more where one process drives all GPUs of a node: by so much for each GPU.
- Hops cost by wire, network and protocol, and by GPU generation; trees keep less in flight.
- From 1 to 64 MiB a pipeline fills at the best size of its pieces: 2 sqrt(latency x wire time), as
  much as the bytes where the message is one piece, and bounded by the buffers; a tree across nodes
  fills so for each of its levels.
- Where each GPU of a node has a NIC, one ring of them leaves by it, and links carry the others.
- PCIe through the host's memory carries one way at the slot's rate, both ways far less.
- All-gather out of place copies the rank's own block, by the same channels: with one NIC's few
  channels that shows.
- Not in it: NCCL's poor choices (it takes what is fastest; where NCCL does not, from 4 to 16 MiB
  over TCPXO, say, the model is too fast), eager and rendezvous thresholds of network plugins, a
  network that is badly tuned, first-use spikes.

Held out is worst where nothing else tells of a network or a machine: TCPXO, Slingshot and TCP
start from general knowledge, two cards behind one root of the host from the two others. And it is
less than it seems where a published figure sums up the same vendor's run: EFA's and Slingshot's
floors, gIB's rate, the all-gather of two B200.

Left out: 07 (early EFA), 41 (one rank), 42 (a broken network); of 46, 48, 49 the rows in place,
which ran a given MSCCL algorithm: [msccl.md](msccl.md) holds such runs against their programs; rows
of zero bytes; rows that stand out from the sizes beside them, as those do that set something up at
first use (`outliers()` in `core/formats/measured_log.hpp`, as `ringside compare` flags them).

Written by one command, after which the fitted figures stand in `sim/` and this page is new:

    build/release/tests/fidelity LOGS SOURCE      # LOGS: a folder of logs as JSON
)";

std::string percent(double part) {
  return fmt::format("{:.1f} %", 100 * part);
}

/// `-` where there are no rows.
std::string middle(const std::vector<double>& errors) {
  return errors.empty() ? "-" : percent(median(errors));
}

std::string summary_row(const char* what, const Score& score, const std::vector<double>& peaks) {
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", what, middle(score.small),
                     percent(percentile(score.small, 0.9)), middle(score.large),
                     percent(percentile(score.large, 0.9)), middle(peaks));
}

std::string summary(const Study& study) {
  std::string text =
      "| | < 1 MiB: median | 90th percentile | >= 1 MiB: median | 90th percentile | peak busbw, "
      "median error |\n|---|---|---|---|---|---|\n";
  const auto row = [&](const char* what, Judged Verdict::*model) {
    Score score;
    std::vector<double> peaks;
    for (const Verdict& verdict : study.verdicts) {
      score.add((verdict.*model).score);
      peaks.push_back(std::abs((verdict.*model).peak_error()));
    }
    text += summary_row(what, score, peaks);
  };
  row("published", &Verdict::published);
  row("**fitted**", &Verdict::fitted);
  row("**held out**", &Verdict::held_out);
  row("NCCL's cost model", &Verdict::nccl);
  row("alpha-beta ring", &Verdict::ring);
  return text;
}

std::string by_log(const Study& study) {
  std::string text =
      "\n## Log by log\n\nMedian errors, below 1 MiB and from there on; the peak bus bandwidth "
      "in GB/s.\n\n"
      "| log | rows | fitted | held out | NCCL's | peak | fitted | held out |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const Verdict& v : study.verdicts) {
    const auto both = [](const Judged& judged) {
      return middle(judged.score.small) + " / " + middle(judged.score.large);
    };
    text += fmt::format("| {} | {} | {} | {} | {} | {:.1f} | {:+.1f} % | {:+.1f} % |\n",
                        v.log->file, v.log->samples.size(), both(v.fitted), both(v.held_out),
                        both(v.nccl), v.fitted.peak_measured, 100 * v.fitted.peak_error(),
                        100 * v.held_out.peak_error());
  }
  text += "\n## What would run\n\n";
  for (const Verdict& v : study.verdicts) {
    text += fmt::format("- {}: {}", v.log->number(), v.picks);
    if (v.log->spikes > 0)
      text += fmt::format("; {} left out, standing out", counted(v.log->spikes, "row"));
    text += "\n";
  }
  return text;
}

std::string written(double value, sim::FigureUnit unit) {
  switch (unit) {
    case sim::FigureUnit::microseconds:
      return fmt::format("{:.4g}us", value);
    case sim::FigureUnit::gigabytes_per_second:
      return fmt::format("{:.4g}GB/s", value);
    case sim::FigureUnit::share:
      return fmt::format("{:.4g}%", 100 * value);
    case sim::FigureUnit::number:
      break;
  }
  return fmt::format("{:.4g}", value);
}

std::string figures_of(const Study& study) {
  std::string text =
      "\n## The figures\n\nThose that data moved; the sources of what was published stand beside "
      "them in `sim/generations/` and `sim/tuner/`.\n\n| figure | published | fitted |\n"
      "|---|---|---|\n";
  sim::Figures figures = study.fitted;
  sim::visit_all(figures, [&](const std::string& where, sim::FigureUnit unit, sim::Figure& f) {
    if (!f.is_fitted || std::abs(f.value / f.published - 1) < 0.005) return;
    text += fmt::format("| {} | {} | {} |\n", where, written(f.published, unit),
                        written(f.value, unit));
  });
  return text;
}

}  // namespace

std::string markdown(const Study& study) {
  return opening + summary(study) + by_log(study) + figures_of(study) + closing;
}

std::string with_fitted(const std::string& toml, const std::string& table, sim::Figures& figures) {
  std::map<std::string, std::string> texts;
  sim::visit_all(figures, [&](const std::string& where, sim::FigureUnit unit, sim::Figure& f) {
    texts[where] = written(f.value, unit);
  });
  std::istringstream lines(toml);
  std::string result, section = table;
  for (std::string line; std::getline(lines, line); result += line + "\n") {
    if (line.starts_with("[")) section = line.substr(1, line.find(']') - 1);
    const auto found = texts.find(section + "." + line.substr(0, line.find(' ')));
    const auto begin = line.find("\", \""), end = line.find("\"]");
    if (found == texts.end() || begin == std::string::npos || end == std::string::npos) continue;
    line = line.substr(0, begin + 4) + found->second + line.substr(end);
  }
  return result;
}

}  // namespace ringside::fidelity
