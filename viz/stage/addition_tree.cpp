#include "viz/stage/addition_tree.hpp"

#include <algorithm>

#include "core/reduce.hpp"

namespace ringside::stage {
namespace {

/// What a transfer reads, by chunk, before anything of its step is written.
struct Read {
  std::uint32_t came = Addition::none, with = Addition::none;
};

class Teller {
 public:
  Teller(const Schedule& schedule, const SlotIndex& index, std::vector<Addition>& all)
      : schedule_(schedule), index_(index), all_(all), now_(index.size(), Addition::none) {}

  /// The place of every slot's last value.
  std::vector<std::uint32_t> tell() {
    for (const Slot& slot : precondition(schedule_.spec(), schedule_.chunks())) {
      now_[index_(slot)] = static_cast<std::uint32_t>(all_.size());
      all_.push_back({slot.rank, slot.chunk});
    }
    for (Step step{0}; step.value < schedule_.steps(); ++step.value) {
      const auto begin = schedule_.step_begin(step), end = schedule_.step_end(step);
      reads_.clear();
      for (auto id = begin; id < end; ++id.value) read(schedule_[id]);
      std::size_t at = 0;
      for (auto id = begin; id < end; ++id.value)
        for (std::uint32_t i = 0; i < schedule_[id].chunks(); ++i) write(id, i, reads_[at++]);
    }
    return std::move(now_);
  }

 private:
  void read(const Transfer& t) {
    for (std::uint32_t i = 0; i < t.chunks(); ++i)
      reads_.push_back({now_[index_(t.src(), i)], now_[index_(t.with(), i)]});
  }
  void write(TransferId id, std::uint32_t i, const Read& read) {
    const Transfer& t = schedule_[id];
    std::uint32_t& target = now_[index_(t.dst(), i)];
    if (t.action() == Action::copy) {
      target = read.came;
      return;
    }
    const auto held = t.has_separate_operand() ? read.with : target;
    if (held == Addition::none || read.came == Addition::none) {
      target = std::min(held, read.came);  // nothing is neutral
      return;
    }
    const Slot place = nth(t.dst(), i);
    target = static_cast<std::uint32_t>(all_.size());
    all_.push_back({place.rank, place.chunk, id, held, read.came});
  }

  const Schedule& schedule_;
  const SlotIndex& index_;
  std::vector<Addition>& all_;
  std::vector<std::uint32_t> now_;  // by slot
  std::vector<Read> reads_;         // of a step
};

}  // namespace

Additions::Additions(const Schedule& schedule) : index_(schedule) {
  last_ = Teller(schedule, index_, all_).tell();
  for (const Expectation& expectation : postcondition(schedule.spec(), schedule.chunks()))
    promised_.push_back(expectation.slot);
  std::ranges::sort(promised_, {}, [](const Slot& s) { return std::pair(s.chunk, s.rank); });
}

AdditionTree Additions::tree(const Slot& slot) const {
  if (!index_.contains(slot) || last_[index_(slot)] == Addition::none) return {};
  const auto root = last_[index_(slot)];
  std::vector<bool> is_used(root + 1);
  is_used[root] = true;
  for (auto at = root; at != Addition::none; --at) {  // users come after what they use
    if (!is_used[at] || all_[at].is_part()) continue;
    is_used[all_[at].held] = is_used[all_[at].came] = true;
  }
  AdditionTree tree;
  std::vector<std::uint32_t> place(root + 1);
  for (std::uint32_t at = 0; at <= root; ++at) {
    if (!is_used[at]) continue;
    place[at] = static_cast<std::uint32_t>(tree.size());
    tree.push_back(all_[at]);
    if (all_[at].is_part()) continue;
    tree.back().held = place[all_[at].held];
    tree.back().came = place[all_[at].came];
  }
  return tree;
}

std::vector<Additions::Output> Additions::outputs(ChunkId chunk) const {
  std::vector<Output> found;
  Slot before{};
  for (const Slot& slot : std::ranges::equal_range(promised_, chunk, {}, &Slot::chunk)) {
    const bool is_copy = !found.empty() && last_[index_(slot)] == last_[index_(before)];
    found.push_back({slot.rank, is_copy ? found.back().tree : tree(slot)});
    before = slot;
  }
  return found;
}

Evaluation evaluate(const AdditionTree& tree, std::span<const double> parts, ElementType type) {
  Evaluation evaluation;
  std::vector<std::uint64_t> bits;
  for (const Addition& at : tree) {
    if (at.is_part()) {
      bits.push_back(encode_float(parts[at.rank.value], type));
      evaluation.in_double.push_back(parts[at.rank.value]);
    } else {
      bits.push_back(combine(bits[at.held], bits[at.came], {type, ReduceOp::sum}));
      evaluation.in_double.push_back(evaluation.in_double[at.held] + evaluation.in_double[at.came]);
    }
    evaluation.rounded.push_back(decode_float(bits.back(), type));
  }
  return evaluation;
}

bool are_identical(std::span<const Additions::Output> outputs, std::span<const double> parts,
                   ElementType type) {
  const AdditionTree* first = nullptr;
  std::uint64_t bits = 0;
  for (const auto& [rank, tree] : outputs) {
    if (tree.empty()) return false;
    if (first != nullptr && tree == *first) continue;  // copies of one sum
    const auto value = encode_float(evaluate(tree, parts, type).rounded.back(), type);
    if (first != nullptr && value != bits) return false;
    first = &tree;
    bits = value;
  }
  return true;
}

std::vector<double> telling_parts(std::uint32_t ranks, ElementType type) {
  const double large = type == ElementType::float16 ? 3e4 : 1e8;
  const double wave[] = {large, 1, -large, 1};
  std::vector<double> parts;
  for (std::uint32_t r = 0; r < ranks; ++r) parts.push_back(wave[r % 4]);
  return parts;
}

std::vector<Standing> stand(const AdditionTree& tree) {
  std::vector<Standing> standing(tree.size());
  if (tree.empty()) return standing;
  for (std::size_t at = 0; at < tree.size(); ++at)
    if (!tree[at].is_part())
      standing[at].level =
          1 + std::max(standing[tree[at].held].level, standing[tree[at].came].level);
  // Columns as a walk from the whole down meets the parts, what was held before what came.
  std::vector<bool> is_met(tree.size());
  std::vector<std::uint32_t> ahead{static_cast<std::uint32_t>(tree.size() - 1)};
  for (double column = 0; !ahead.empty();) {
    const auto at = ahead.back();
    ahead.pop_back();
    if (is_met[at]) continue;
    is_met[at] = true;
    if (tree[at].is_part()) {
      standing[at].column = column++;
    } else {
      ahead.push_back(tree[at].came);
      ahead.push_back(tree[at].held);
    }
  }
  for (std::size_t at = 0; at < tree.size(); ++at)
    if (!tree[at].is_part())
      standing[at].column = (standing[tree[at].held].column + standing[tree[at].came].column) / 2;
  return standing;
}

}  // namespace ringside::stage
