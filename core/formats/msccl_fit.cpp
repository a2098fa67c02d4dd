#include "core/formats/msccl_fit.hpp"

#include <algorithm>
#include <map>

#include "core/assert.hpp"
#include "core/formats/msccl_rules.hpp"

namespace ringside {
namespace {

/// One rank at a time: what an instruction becomes is known before who waits for it is told.
class Fitting {
 public:
  Fitting(std::vector<Lane> lanes, Rank rank) : lanes_(std::move(lanes)), rank_(rank) {
    for (const Lane& lane : lanes_)
      for (const Instruction& i : lane.instructions)
        for (const Place& place : {i.src, i.operand, i.dst})
          if (i.op != Opcode::wait && place.buffer == Buffer::scratch)
            free_scratch_ = std::max(free_scratch_, place.chunk.value + i.chunks);
  }

  std::vector<Lane> run() && {
    std::vector<Lane> fitted = lanes_;
    last_.resize(lanes_.size());
    keep_own_messages();
    for (std::uint32_t l = 0; l < lanes_.size(); ++l) {
      into_ = &fitted[l].instructions;
      into_->clear();
      std::uint32_t message = 0;
      for (const Instruction& i : lanes_[l].instructions) {
        Instruction own = i;
        if (talks_to_itself(lanes_[l]) && i.op != Opcode::wait) own = as_local(l, message++, i);
        put(own);
        last_[l].push_back(static_cast<std::uint32_t>(into_->size()) - 1);
      }
      if (talks_to_itself(lanes_[l])) fitted[l].to = fitted[l].from = std::nullopt;
    }
    for (Lane& lane : fitted)
      for (Instruction& i : lane.instructions)
        if (i.after) i.after->instruction = last_[i.after->lane][i.after->instruction];
    return fitted;
  }

 private:
  struct Kept {
    Place scratch;
    After sent;
  };

  bool talks_to_itself(const Lane& lane) const { return lane.to == rank_ || lane.from == rank_; }

  /// Each message from the rank to itself gets scratch of its own.
  void keep_own_messages() {
    for (std::uint32_t l = 0; l < lanes_.size(); ++l) {
      if (lanes_[l].to != rank_) continue;
      auto& kept = kept_[lanes_[l].channel];
      for (std::uint32_t i = 0; i < lanes_[l].instructions.size(); ++i) {
        const Instruction& send = lanes_[l].instructions[i];
        if (send.op == Opcode::wait) continue;
        kept.push_back({{Buffer::scratch, {free_scratch_}}, {l, i}});
        free_scratch_ += send.chunks;
      }
    }
  }

  Instruction as_local(std::uint32_t lane, std::uint32_t message, Instruction i) {
    const Kept& kept = kept_.at(lanes_[lane].channel)[message];
    if (i.op == Opcode::send) {
      i.op = Opcode::copy;
      i.dst = kept.scratch;
      return i;
    }
    i.op = i.op == Opcode::receive ? Opcode::copy : Opcode::reduce;
    i.src = kept.scratch;
    if (i.after) into_->push_back({Opcode::wait, {}, {}, {}, 1, i.after});
    i.after = kept.sent;
    return i;
  }

  /// Adds to its own target: copies the other operand there first, if need be.
  void put(Instruction i) {
    if (i.op == Opcode::reduce && i.operand != i.dst) {
      if (i.src == i.dst) {
        i.src = i.operand;
      } else {
        put_pieces({Opcode::copy, i.operand, {}, i.dst, i.chunks, i.after});
        i.after.reset();
      }
      i.operand = i.dst;
    }
    put_pieces(i);
  }

  void put_pieces(Instruction i) {
    for (std::uint32_t left = i.chunks; left > 0;) {
      i.chunks = std::min(left, msccl_max_chunks);
      left -= i.chunks;
      into_->push_back(i);
      for (Place* place : {&i.src, &i.operand, &i.dst}) place->chunk.value += i.chunks;
      i.after.reset();
    }
  }

  std::vector<Lane> lanes_;
  Rank rank_;
  std::uint32_t free_scratch_ = 0;
  std::map<ChannelId, std::vector<Kept>> kept_;
  std::vector<std::vector<std::uint32_t>> last_;  // by lane, instruction: the last of its steps
  std::vector<Instruction>* into_ = nullptr;
};

}  // namespace

Program fit_to_msccl(const Program& program) {
  Program fitted = program;
  for (std::uint32_t r = 0; r < program.ranks.size(); ++r)
    fitted.ranks[r] = Fitting(program.ranks[r], {r}).run();
  fitted.words = msccl_words;
  return fitted;
}

}  // namespace ringside
