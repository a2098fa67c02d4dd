#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/topology.hpp"
#include "viz/stage/action.hpp"
#include "viz/stage/model.hpp"

namespace ringside::stage {

/// One thing that the left column lets people change.
struct Control {
  enum class Kind : std::uint8_t { choice, number, bandwidth, latency };
  enum class Section : std::uint8_t { what, against, on, wires };
  std::string field;  ///< as Edit names it
  Word label;
  Kind kind;
  Section section;
  std::string value;  ///< as it is typed; what is left open as the run has it
};
/// All that mean something for this model and what it shows, from top to bottom; wires that are not
/// there are left out.
std::vector<Control> controls_of(const Model& model);

/// What a list offers. Possible: it can run, as far as can be known without staging it.
struct Choice {
  std::string value;
  bool is_possible = true;
};
std::vector<Choice> choices_of(const Model& model, std::string_view field);

/// The edit that the keys Up (`by` 1) and Down (-1) mean for a control: the next whole number, the
/// doubled size, the next round bandwidth, or the neighbour in a list, where Up goes to the one
/// above. Nothing at the end of its range.
std::optional<Edit> stepped(const Model& model, std::string_view field, int by);

/// A family of wires, whether or not the machine has it.
struct Wires {
  sim::LinkKind kind;
  Word label;
  bool is_there = false;
  bool is_used = false;  ///< some transfer crosses one
  /// Of most of them: as the controls say, or else as the machine has it.
  Bandwidth bandwidth{};
  Duration latency{};
};
/// Those of the run's machine; of training, those of its forecast's, all of which are used.
/// A shape's own links first, then the wires between GPUs, PCIe, and the network.
std::vector<Wires> wires_of(const Model& model);

/// A field `nvlink.bandwidth` as set_field knows it: `set`, or `bandwidth` of a bare shape; what
/// else was set stays. Nothing if `field` names no wire. `value` as typed: empty takes back.
std::optional<Edit> wire_edit(const scenario::Scenario& scenario, std::string_view field,
                              std::string_view value);

/// Where on its slider a value stands, 0..1 and back, by logarithm; the way back is rounded to two
/// digits, as text to be typed.
double slider_place(Bandwidth bandwidth);
double slider_place(Duration latency);
std::string slider_value(Control::Kind kind, double place);

}  // namespace ringside::stage
