#include "core/formats/msccl_write.hpp"

#include <algorithm>

#include "core/formats/msccl_fit.hpp"
#include "core/formats/msccl_rules.hpp"
#include "core/formats/msccl_source.hpp"

namespace ringside {
namespace {

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return safe;
}

void attribute(std::string& text, const char* key, std::string_view value) {
  text += " " + std::string(key) + "=\"" + escaped(value) + "\"";
}
void attribute(std::string& text, const char* key, std::int64_t value) {
  text += " " + std::string(key) + "=\"" + std::to_string(value) + "\"";
}

class Writer {
 public:
  Writer(const Program& program, const MscclHeader& header) : program_(program), header_(header) {}

  std::string run() && {
    root();
    for (std::uint32_t r = 0; r < program_.ranks.size(); ++r) gpu(r);
    return text_ + "</algo>\n";
  }

 private:
  const CollectiveSpec& spec() const { return program_.spec; }
  std::uint32_t block() const { return program_.chunks / spec().ranks; }

  void root() {
    std::uint32_t channels = 1;
    for (const auto& lanes : program_.ranks)
      for (const Lane& lane : lanes) channels = std::max(channels, lane.channel.value + 1);
    std::string title = header_.name;
    const std::string kind(name(spec().kind)), root = " root " + std::to_string(spec().root.value);
    if (!title.starts_with(kind + " ")) title = kind + " " + title;
    if (has_root(spec().kind) && !title.ends_with(root)) title += root;
    text_ += "<algo";
    attribute(text_, "name", title);
    attribute(text_, "proto", name(header_.protocol));
    attribute(text_, "nchannels", channels);
    attribute(text_, "nchunksperloop", program_.chunks);
    attribute(text_, "ngpus", spec().ranks);
    attribute(text_, "coll", msccl_name(spec().kind));
    attribute(text_, "inplace", spec().in_place ? 1 : 0);
    attribute(text_, "outofplace", spec().in_place ? 0 : 1);
    attribute(text_, "minBytes", static_cast<std::int64_t>(header_.least.count));
    attribute(text_, "maxBytes", static_cast<std::int64_t>(header_.most.count));
    text_ += ">\n";
  }

  /// In place, the one buffer goes by the name of the one that is whole.
  char letter(Buffer buffer) const {
    if (buffer == Buffer::scratch) return 's';
    if (spec().in_place) return reduces(spec().kind) ? 'i' : 'o';
    return buffer == Buffer::input ? 'i' : 'o';
  }
  /// All-gather's input and reduce-scatter's output are the rank's own block only.
  bool is_share(char buffer) const {
    return !spec().in_place && ((buffer == 'i' && spec().kind == CollectiveKind::all_gather) ||
                                (buffer == 'o' && spec().kind == CollectiveKind::reduce_scatter));
  }
  std::uint32_t chunks(char buffer) const {
    if (spec().in_place && buffer != letter(Buffer::output)) return 0;
    return is_share(buffer) ? block() : program_.chunks;
  }

  void gpu(std::uint32_t rank) {
    const auto& lanes = program_.ranks[rank];
    std::uint32_t scratch = 0;
    std::vector<std::vector<bool>> is_awaited;
    for (const Lane& lane : lanes) is_awaited.emplace_back(lane.instructions.size(), false);
    for (const Lane& lane : lanes)
      for (const Instruction& i : lane.instructions) {
        if (i.after) is_awaited[i.after->lane][i.after->instruction] = true;
        for (const Place& place : {i.src, i.operand, i.dst})
          if (i.op != Opcode::wait && place.buffer == Buffer::scratch)
            scratch = std::max(scratch, place.chunk.value + i.chunks);
      }
    text_ += "  <gpu";
    attribute(text_, "id", rank);
    attribute(text_, "i_chunks", chunks('i'));
    attribute(text_, "o_chunks", chunks('o'));
    attribute(text_, "s_chunks", scratch);
    text_ += ">\n";
    for (std::uint32_t l = 0; l < lanes.size(); ++l) {
      text_ += "    <tb";
      attribute(text_, "id", l);
      attribute(text_, "send", lanes[l].to ? std::int64_t{lanes[l].to->value} : -1);
      attribute(text_, "recv", lanes[l].from ? std::int64_t{lanes[l].from->value} : -1);
      attribute(text_, "chan", lanes[l].channel.value);
      text_ += ">\n";
      for (std::uint32_t i = 0; i < lanes[l].instructions.size(); ++i)
        step({{rank}, l, i}, lanes[l].instructions[i], is_awaited[l][i]);
      text_ += "    </tb>\n";
    }
    text_ += "  </gpu>\n";
  }

  void step(const Position& at, const Instruction& i, bool is_awaited) {
    text_ += "      <step";
    attribute(text_, "s", at.instruction);
    attribute(text_, "type", msccl_words.opcodes[static_cast<std::size_t>(i.op)]);
    if (i.op == Opcode::wait) {
      text_ += R"( srcbuf="i" srcoff="-1" dstbuf="o" dstoff="-1" cnt="0")";
    } else {
      // Of what travels, the other side's place is for people only.
      const Place& src = i.op == Opcode::receive          ? i.dst
                         : i.op == Opcode::receive_reduce ? i.operand
                                                          : i.src;
      place("src", src, at.rank);
      place("dst", i.op == Opcode::send ? i.src : i.dst, at.rank);
      attribute(text_, "cnt", i.chunks);
    }
    attribute(text_, "depid", i.after ? std::int64_t{i.after->lane} : -1);
    attribute(text_, "deps", i.after ? std::int64_t{i.after->instruction} : -1);
    attribute(text_, "hasdep", is_awaited ? 1 : 0);
    text_ += "/>\n";
  }

  void place(const std::string& prefix, const Place& place, Rank rank) {
    const char buffer = letter(place.buffer);
    const auto offset = place.chunk.value - (is_share(buffer) ? rank.value * block() : 0);
    attribute(text_, (prefix + "buf").c_str(), std::string_view(&buffer, 1));
    attribute(text_, (prefix + "off").c_str(), offset);
  }

  const Program& program_;
  const MscclHeader& header_;
  std::string text_;
};

}  // namespace

Result<std::string> schedule_to_msccl(const Schedule& schedule, const MscclHeader& header) {
  const std::string what = std::string(name(schedule.spec().kind)) + " " + header.name;
  if (schedule.agents() > 0)
    return bad_request(what + " needs a switch that computes, of which MSCCL knows nothing");
  const Program program = fit_to_msccl(lower(schedule));
  if (const auto limits = beyond_msccl_limits(program); !limits.empty())
    return bad_request(what + " does not fit: " + limits.front());
  const auto needed = needed_fifo_depth(program);
  if (!needed) return tl::unexpected(needed.error());
  if (*needed > fifo_depth(header.protocol))
    return bad_request(what + " sends " + std::to_string(*needed) +
                       " messages at once on a connection; protocol " +
                       std::string(name(header.protocol)) + " holds " +
                       std::to_string(fifo_depth(header.protocol)));
  return Writer(program, header).run();
}

}  // namespace ringside
