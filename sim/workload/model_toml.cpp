// Models in TOML: a transformer's shape, or layers one by one.

#include <array>

#include "sim/strict_toml.hpp"
#include "sim/workload/model.hpp"

namespace ringside::sim {
namespace {

constexpr std::uint32_t most_layers = 1024, most_repeats = 4096;
constexpr std::int64_t most = std::int64_t{1} << 53;  // every whole number up to it is a double

/// A whole number that may pass 2^32; a FLOP, a weight.
Result<std::uint64_t> large(const TomlTable& table, std::string_view key) {
  const auto* value = table.find(key);
  if (value == nullptr) return 0;
  const auto* number = std::get_if<std::int64_t>(&value->value);
  if (number == nullptr || *number < 0 || *number > most)
    return table.fail(*value, std::string(key) + " is a whole number from 0 to 2^53");
  return static_cast<std::uint64_t>(*number);
}

struct Size {
  std::string_view key;
  std::uint32_t Transformer::*member;
  std::uint32_t least, most;
  bool needed;
};
constexpr std::array<Size, 10> sizes{{
    {"hidden", &Transformer::hidden, 1, 1U << 17, true},
    {"layers", &Transformer::layers, 1, most_repeats, true},
    {"heads", &Transformer::heads, 1, 1U << 12, true},
    {"kv_heads", &Transformer::kv_heads, 1, 1U << 12, false},
    {"feed_forward", &Transformer::feed_forward, 1, 1U << 19, true},
    {"vocabulary", &Transformer::vocabulary, 1, 1U << 22, true},
    {"sequence", &Transformer::sequence, 1, 1U << 20, true},
    {"positions", &Transformer::positions, 0, 1U << 20, false},
    {"segments", &Transformer::segments, 0, 1U << 10, false},
    {"experts", &Transformer::experts, 0, 1U << 10, false},
}};

struct Truth {
  std::string_view key;
  bool Transformer::*member;
};
constexpr std::array<Truth, 7> truths{{
    {"gated", &Transformer::gated},
    {"biases", &Transformer::biases},
    {"tied", &Transformer::tied},
    {"dropout", &Transformer::dropout},
    {"flash", &Transformer::flash},
    {"norm_first", &Transformer::norm_first},
    {"pooler", &Transformer::pooler},
}};

Result<Transformer> read_shape(const TomlTable& table) {
  RS_TRY(table.only({"hidden", "layers", "heads", "kv_heads", "feed_forward", "vocabulary",
                     "sequence", "positions", "segments", "experts", "experts_per_token", "gated",
                     "biases", "tied", "dropout", "flash", "norm_first", "pooler"}));
  Transformer shape;
  for (const auto& size : sizes) {
    if (size.needed && table.find(size.key) == nullptr)
      return table.fail(std::string(size.key) + " is missing: write " + std::string(size.key) +
                        " = a whole number");
    RS_ASSIGN(shape.*size.member,
              table.whole(size.key, shape.*size.member, {size.least, size.most}));
  }
  for (const auto& truth : truths) {
    RS_ASSIGN(shape.*truth.member, table.truth(truth.key, shape.*truth.member));
  }
  RS_ASSIGN(shape.experts_per_token,
            table.whole("experts_per_token", shape.experts > 0 ? 1 : 0, {0, shape.experts}));
  if (shape.hidden % shape.heads != 0)
    return table.fail("heads", "heads divides hidden, so that every head is as wide");
  if (shape.kv_heads != 0 && shape.heads % shape.kv_heads != 0)
    return table.fail("kv_heads", "kv_heads divides heads: as many share one key and value");
  if (shape.experts > 0 && shape.experts_per_token == 0)
    return table.fail("experts_per_token", "a token sees at least one of the experts");
  return shape;
}

Result<Layer> read_layer(const TomlTable& table) {
  RS_TRY(table.only({"name", "repeat", "parameters", "forward_flops", "backward_flops",
                     "output_elements", "kept_elements"}));
  Layer layer;
  RS_ASSIGN(layer.name, table.needed("name", "conv1"));
  RS_ASSIGN(layer.repeat, table.whole("repeat", 1, {1, most_repeats}));
  RS_ASSIGN(layer.parameters, large(table, "parameters"));
  RS_ASSIGN(const auto forward, large(table, "forward_flops"));
  layer.forward_flops = static_cast<double>(forward);
  layer.backward_flops = 2 * layer.forward_flops;
  if (table.find("backward_flops") != nullptr) {
    RS_ASSIGN(const auto backward, large(table, "backward_flops"));
    layer.backward_flops = static_cast<double>(backward);
  }
  RS_ASSIGN(layer.output_elements, large(table, "output_elements"));
  RS_ASSIGN(layer.replicated.elements, large(table, "kept_elements"));
  return layer;
}

Result<std::vector<Layer>> read_layers(const TomlTable& table) {
  RS_ASSIGN(const auto written, table.tables("layers"));
  if (written.empty() || written.size() > most_layers)
    return table.fail("layers", "a model has from 1 to 1024 [[layers]], or a [transformer]");
  std::vector<Layer> layers;
  for (const auto& one : written) {
    RS_ASSIGN(auto layer, read_layer(one));
    layers.push_back(std::move(layer));
  }
  return layers;
}

/// So that bytes of all of it, and of its optimizer, can be counted in 64 bits.
bool can_be_counted(const Model& model) {
  constexpr double most_in_all = 0x1p50;
  double parameters = 0, kept = 0;
  for (const auto& layer : model.layers) {
    parameters += layer.repeat * static_cast<double>(layer.parameters);
    for (const auto& part : {layer.split, layer.replicated, layer.scores})
      kept += layer.repeat * static_cast<double>(part.elements + part.bytes);
  }
  return parameters <= most_in_all && kept <= most_in_all;
}

}  // namespace

Result<Model> read_model(std::string_view text, std::string_view file) {
  RS_ASSIGN(const TomlValue root, parse_toml(text, file));
  const TomlTable table(root, file);
  RS_TRY(table.only({"name", "summary", "aliases", "transformer", "layers"}));
  Model model;
  RS_ASSIGN(const auto name, table.needed("name", "gpt2-xl"));
  if (const auto* value = table.find("transformer"); value != nullptr) {
    if (table.find("layers") != nullptr)
      return table.fail("layers", "a model is a [transformer] or has [[layers]], not both");
    RS_ASSIGN(const auto shape_table, table.table(*value, "write [transformer]"));
    RS_ASSIGN(const auto shape, read_shape(shape_table));
    model = make_transformer(name, shape);
  } else {
    model.name = name;
    RS_ASSIGN(model.layers, read_layers(table));
  }
  RS_ASSIGN(const auto summary, table.text("summary", "GPT-2 XL, 1.6 billion parameters"));
  model.summary = summary.value_or("");
  RS_ASSIGN(model.aliases, table.texts("aliases"));
  if (!can_be_counted(model))
    return table.fail(
        "a model has at most 2^50 parameters, and keeps as many elements of a sample");
  if (model.parameters() == 0)
    return table.fail("a model has parameters, or there is nothing to train");
  return model;
}

}  // namespace ringside::sim
