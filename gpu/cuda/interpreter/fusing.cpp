#include "gpu/cuda/interpreter/fusing.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/binding.hpp"
#include "core/slot_history.hpp"

namespace ringside::cuda::interpreter {
namespace {

Operand place_of(const Slot& slot) {
  return {static_cast<Site>(slot.buffer), slot.chunk.value};
}
bool same_place(const Operand& a, const Operand& b) {
  return a.site == b.site && a.index == b.index && a.ordinal == b.ordinal;
}

ChunkOrder order_of(const Transfer& t) {
  if (!t.has_separate_operand() || !overlap(t.with(), t.dst(), t.chunks())) return ChunkOrder::any;
  return t.with().chunk < t.dst().chunk ? ChunkOrder::last_to_first : ChunkOrder::first_to_last;
}

}  // namespace

bool overlap(const Slot& a, const Slot& b, std::uint32_t chunks) {
  const auto [first, second] = std::minmax(a.chunk.value, b.chunk.value);
  return a.rank == b.rank && a.buffer == b.buffer && second - first < chunks;
}

Fuser::Fuser(const Work& work, const Fusing& fusing, std::uint32_t depth,
             std::span<const Message> messages)
    : schedule_(*work.schedule),
      layout_(layout_of(work)),
      fusing_(fusing),
      depth_(depth),
      channels_(schedule_.channels()),
      messages_(messages),
      drafts_(std::size_t{schedule_.participants()} * channels_),
      read_(messages.size()),
      commit_(messages.size()),
      owed_(drafts_.size()),
      last_offers_(drafts_.size(), Instruction::none) {
  std::uint32_t connections = 0;
  for (const Message& m : messages)
    if (m.connection != Instruction::none) connections = std::max(connections, m.connection + 1);
  of_connection_.resize(connections);
}

/// As core/message.hpp has it: the first of source, operand and target that is no scratch.
std::uint32_t Fuser::sized_by(const Transfer& t) const {
  for (const Slot& slot : {t.src(), t.with(), t.dst()})
    if (slot.buffer != Buffer::scratch) return slot.chunk.value;
  return Instruction::none;
}

bool Fuser::same_lengths(const Draft& draft, TransferId id) const {
  const Transfer& t = schedule_[id];
  const auto mine = sized_by(t);
  if (draft.chunks != t.chunks()) return false;
  const auto length = [&](std::uint32_t first, std::uint32_t i) {
    return first == Instruction::none ? layout_.longest() : layout_.elements({first + i});
  };
  for (std::uint32_t i = 0; i < t.chunks(); ++i)
    if (length(draft.sized_by, i) != length(mine, i)) return false;
  return true;
}

/// What lies at the source, a free slot, and the message before on the connection.
Fuser::Before Fuser::before_read(TransferId id) const {
  Before before;
  for (const Dependency& d : schedule_.dependencies(id))
    if (d.kind == DependencyKind::raw) before.push_back({commit_[d.on.value], true});
  const Message& m = messages_[id.value];
  const auto& sent = of_connection_[m.connection];
  if (m.ordinal >= depth_ && !m.is_direct)
    before.push_back({commit_[sent[m.ordinal - depth_].value]});
  if (m.ordinal > 0) before.push_back({read_[sent[m.ordinal - 1].value]});
  return before;
}

/// Who offers a message has it read only when it was taken.
Fuser::Earlier Fuser::after_reader(TransferId reader) const {
  const Message& m = messages_[reader.value];
  if (m.connection == Instruction::none || !m.is_direct) return {read_[reader.value]};
  return {commit_[reader.value], false, &m};
}

/// The message, the one before it, and a target that nobody needs any more.
Fuser::Before Fuser::before_commit(TransferId id) const {
  Before before;
  const Transfer& t = schedule_[id];
  const bool accumulates = t.action() == Action::reduce && !t.has_separate_operand();
  for (const Dependency& d : schedule_.dependencies(id)) {
    if (d.kind == DependencyKind::waw) before.push_back({commit_[d.on.value], accumulates});
    if (d.kind == DependencyKind::war) before.push_back(after_reader(d.on));
  }
  const Message& m = messages_[id.value];
  if (m.connection == Instruction::none) return before;
  before.push_back({read_[id.value]});
  if (m.ordinal > 0) before.push_back({commit_[of_connection_[m.connection][m.ordinal - 1].value]});
  return before;
}

bool Fuser::may_join(const Home& into, const Before& before) const {
  const auto position = drafts_[into.block][into.instruction].position;
  return std::ranges::all_of(before, [&](const Earlier& e) {
    if (e.home == into) return e.is_value;
    return drafts_[e.home.block][e.home.instruction].position < position;
  });
}

std::optional<Fuser::Home> Fuser::with_value(const Slot& first, TransferId id, std::uint32_t block,
                                             const Before& before) {
  const auto place = place_of(first);
  const auto fits = [&](const Home& home) {
    const Draft& d = draft(home);
    return d.deed == Deed::combine && d.order == ChunkOrder::any && same_lengths(d, id) &&
           d.targets.size() + d.offers.size() < fusing_.most_operands && may_join(home, before);
  };
  for (const Earlier& e : before)
    if (e.is_value && e.home.block == block) {
      const auto& targets = draft(e.home).targets;
      const bool stores =
          std::ranges::any_of(targets, [&](const Operand& o) { return same_place(o, place); });
      if (stores) return fits(e.home) ? std::optional(e.home) : std::nullopt;
    }
  const auto taker = takers_.find({block, place.site, place.index, schedule_[id].chunks()});
  if (taker == takers_.end()) return std::nullopt;
  const Home home{block, taker->second};
  // The value that was there when that instruction stood, if nothing was written since: whoever
  // wrote it stands before it, or is the instruction itself, whose value would be another.
  const bool is_older =
      std::ranges::none_of(before, [&](const Earlier& e) { return e.home == home; });
  return is_older && fits(home) ? std::optional(home) : std::nullopt;
}

std::optional<Fuser::Home> Fuser::join_as_target(TransferId id, const Operand& target,
                                                 const Before& before) {
  if (!fusing_.on) return std::nullopt;
  const Transfer& t = schedule_[id];
  const auto home = with_value(t.src(), id, block_of(t.src().rank, t), before);
  if (!home) return std::nullopt;
  auto& d = draft(*home);
  (target.site == Site::offered ? d.offers : d.targets).push_back(target);
  add_waits(*home, before);
  return home;
}

/// Several messages are offered at once, whatever they are.
std::optional<Fuser::Home> Fuser::join_offers(TransferId id, const Operand& offer,
                                              const Before& before) {
  const auto block = block_of(schedule_[id].src().rank, schedule_[id]);
  const Home home{block, last_offers_[block]};
  if (!fusing_.on || offer.site != Site::offered || home.instruction == Instruction::none)
    return std::nullopt;
  Draft& d = draft(home);
  if (d.offers.size() == fusing_.most_operands || !may_join(home, before)) return std::nullopt;
  d.offers.push_back(offer);
  add_waits(home, before);
  return home;
}

/// One more thing is added to a value that so far went to its own place only.
std::optional<Fuser::Home> Fuser::join_as_source(TransferId id, const Operand& source,
                                                 const Before& before) {
  const Transfer& t = schedule_[id];
  if (!fusing_.on || t.action() != Action::reduce || t.has_separate_operand()) return std::nullopt;
  const auto block = block_of(t.dst().rank, t);
  const auto place = place_of(t.dst());
  for (const Earlier& e : before) {
    if (!e.is_value || e.home.block != block) continue;
    Draft& d = draft(e.home);
    const bool fits = d.deed == Deed::combine && d.order == ChunkOrder::any &&
                      d.targets.size() == 1 && d.offers.empty() &&
                      same_place(d.targets[0], place) && d.sources.size() < fusing_.most_operands &&
                      same_lengths(d, id) && may_join(e.home, before);
    if (!fits) continue;
    const auto first = d.sources.front();
    takers_.erase({block, first.site, first.index, d.chunks});
    d.sources.push_back(source);
    add_waits(e.home, before);
    return e.home;
  }
  return std::nullopt;
}

Fuser::Home Fuser::append(std::uint32_t block, Draft fresh, const Before& before) {
  fresh.position = next_position_++;
  fresh.waits = std::exchange(owed_[block], {});
  const Home home{block, static_cast<std::uint32_t>(drafts_[block].size())};
  const auto& first = fresh.sources.front();
  if (fresh.sources.size() == 1 && first.site < Site::given)
    takers_[{block, first.site, first.index, fresh.chunks}] = home.instruction;
  if (fresh.targets.empty()) last_offers_[block] = home.instruction;
  drafts_[block].push_back(std::move(fresh));
  add_waits(home, before);
  return home;
}

void Fuser::add_waits(const Home& home, const Before& before) {
  for (const Earlier& e : before) {
    auto& waits = draft(home).waits;
    if (e.taken != nullptr)
      waits.push_back({Wait::For::taken, e.taken->connection, e.taken->ordinal + 1});
    else if (e.home.block != home.block && e.home.block / channels_ == home.block / channels_)
      waits.push_back({Wait::For::progress, e.home.block % channels_, e.home.instruction + 1});
  }
}

void Fuser::read(TransferId id) {
  const Transfer& t = schedule_[id];
  const Message& m = messages_[id.value];
  const Operand target{m.is_direct ? Site::offered : Site::sent, m.connection, m.ordinal,
                       sized_by(t)};
  const auto before = before_read(id);
  auto home = join_as_target(id, target, before);
  if (!home) home = join_offers(id, target, before);
  if (!home) {
    Draft fresh{.chunks = t.chunks(), .sized_by = sized_by(t), .sources = {place_of(t.src())}};
    (m.is_direct ? fresh.offers : fresh.targets).push_back(target);
    home = append(block_of(t.src().rank, t), std::move(fresh), before);
  }
  draft(*home).events.push_back({id, Phase::read});
  read_[id.value] = *home;
  of_connection_[m.connection].push_back(id);
}

void Fuser::commit(TransferId id) {
  const Transfer& t = schedule_[id];
  const Message& m = messages_[id.value];
  Operand source{Site::received, m.connection, m.ordinal, sized_by(t)};
  if (m.is_direct)
    source = {Site::peer, m.connection, m.ordinal, t.src().chunk.value, place_of(t.src()).site};
  const auto before = before_commit(id);
  auto home = join_as_source(id, source, before);
  if (!home) {
    Draft fresh{.chunks = t.chunks(), .sized_by = sized_by(t), .targets = {place_of(t.dst())}};
    if (t.has_separate_operand()) fresh.order = order_of(t);
    if (t.action() == Action::reduce) fresh.sources.push_back(place_of(t.with()));
    fresh.sources.push_back(source);
    home = append(block_of(t.dst().rank, t), std::move(fresh), before);
  }
  draft(*home).events.push_back({id, Phase::commit});
  commit_[id.value] = *home;
}

void Fuser::move(TransferId id) {
  const Transfer& t = schedule_[id];
  auto before = before_commit(id);
  const bool copies = t.action() == Action::copy;
  for (const Dependency& d : schedule_.dependencies(id))
    if (d.kind == DependencyKind::raw) before.push_back({commit_[d.on.value], copies});
  auto home = copies ? join_as_target(id, place_of(t.dst()), before)
                     : join_as_source(id, place_of(t.src()), before);
  if (!home) {
    Draft fresh{.chunks = t.chunks(), .sized_by = sized_by(t), .targets = {place_of(t.dst())}};
    fresh.order = order_of(t);
    if (!copies) fresh.sources.push_back(place_of(t.with()));
    fresh.sources.push_back(place_of(t.src()));
    home = append(block_of(t.dst().rank, t), std::move(fresh), before);
  }
  draft(*home).events.push_back({id, Phase::whole});
  read_[id.value] = commit_[id.value] = *home;
}

void Fuser::alone(Rank rank, Deed deed, const Places& places, std::uint32_t chunks) {
  append(rank.value * channels_,
         {.deed = deed,
          .chunks = chunks,
          .sized_by = places.target.index,
          .sources = {places.source},
          .targets = {places.target}},
         {});
}

void Fuser::everybody_waits() {
  for (std::uint32_t b = 0; b < drafts_.size(); ++b)
    for (std::uint32_t c = 0; c < channels_; ++c) {
      const auto& other = drafts_[b / channels_ * channels_ + c];
      if (c == b % channels_ || other.empty()) continue;
      owed_[b].push_back({Wait::For::progress, c, static_cast<std::uint32_t>(other.size())});
    }
}

void Fuser::owner_waits_for_takers() {
  for (std::uint32_t c = 0; c < of_connection_.size(); ++c) {
    const auto last = of_connection_[c].back();
    if (!messages_[last.value].is_direct) continue;
    owed_[schedule_[last].src().rank.value * channels_].push_back(
        {Wait::For::taken, c, messages_[last.value].ordinal + 1});
  }
}

void Fuser::drop_dead_stores() {
  const SlotIndex index(schedule_);
  constexpr auto nobody = UINT32_MAX;
  std::vector<std::uint32_t> last(index.size(), nobody);  // writer, by slot
  std::vector<bool> is_used(commit_.size());              // what it wrote, by another instruction
  for (std::uint32_t id = 0; id < commit_.size(); ++id) {
    const Transfer& t = schedule_[{id}];
    for (std::uint32_t i = 0; i < t.chunks(); ++i) last[index(t.dst(), i)] = id;
    for (const Dependency& d : schedule_.dependencies({id})) {
      const bool reads = d.kind == DependencyKind::raw;
      if (reads && messages_[id].is_direct) is_used[d.on.value] = true;  // from there
      const bool adds = d.kind == DependencyKind::waw && t.action() == Action::reduce;
      if ((reads && read_[id] != commit_[d.on.value]) ||
          (adds && commit_[id] != commit_[d.on.value]))
        is_used[d.on.value] = true;
    }
  }
  std::set<std::pair<const Draft*, std::pair<Site, std::uint32_t>>> needed;
  const auto key = [&](std::uint32_t id) {
    const Operand place = place_of(schedule_[{id}].dst());
    return std::pair{static_cast<const Draft*>(&draft(commit_[id])),
                     std::pair{place.site, place.index}};
  };
  for (std::uint32_t id = 0; id < commit_.size(); ++id) {
    const Transfer& t = schedule_[{id}];
    bool is_needed = is_used[id];
    for (std::uint32_t i = 0; i < t.chunks() && t.dst().buffer != Buffer::scratch; ++i)
      is_needed = is_needed || commit_[last[index(t.dst(), i)]] == commit_[id];
    if (is_needed) needed.insert(key(id));
  }
  for (std::uint32_t id = 0; id < commit_.size(); ++id) {
    auto& targets = draft(commit_[id]).targets;
    if (targets.size() < 2 || needed.contains(key(id))) continue;
    const Operand place = place_of(schedule_[{id}].dst());
    std::erase_if(targets, [&](const Operand& o) { return same_place(o, place); });
  }
}

}  // namespace ringside::cuda::interpreter
