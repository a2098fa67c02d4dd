// `ringside completion bash|zsh|fish`: a completion script, generated from the commands themselves.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "core/algorithm.hpp"
#include "core/suggest.hpp"
#include "sim/networks.hpp"
#include "sim/shapes.hpp"
#include "sim/systems.hpp"
#include "viz/terminal/command.hpp"
#include "viz/terminal/output.hpp"

namespace ringside::terminal {
namespace {

constexpr std::string_view shells[] = {"bash", "zsh", "fish"};

struct Words {
  std::string command;  ///< as typed: `schedule check`
  std::vector<std::string> options, subcommands;
};

void collect(const CLI::App& app, const std::string& prefix, std::vector<Words>& all) {
  Words words{prefix, {}, {}};
  for (const CLI::Option* option : app.get_options())
    for (const auto& name : option->get_lnames()) words.options.push_back("--" + name);
  const auto subcommands = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* sub : subcommands) words.subcommands.push_back(sub->get_name());
  all.push_back(words);
  for (const CLI::App* sub : subcommands)
    collect(*sub, prefix.empty() ? sub->get_name() : prefix + " " + sub->get_name(), all);
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names{"all", "best"};
  for (const Algorithm& algorithm : all_algorithms()) names.emplace_back(algorithm.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> system_names() {
  std::vector<std::string> names;
  for (const auto& name : sim::shape_names()) names.emplace_back(name);
  for (const auto& text : sim::system_texts()) names.emplace_back(text.name);
  return names;
}

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const auto& network : sim::networks()) names.emplace_back(network.name);
  return names;
}

/// The names of the first `count` values of an enumeration.
template <typename Enum>
std::vector<std::string> names_of(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.emplace_back(name(static_cast<Enum>(i)));
  return names;
}

/// What may follow a flag.
struct Values {
  std::string flag;
  std::vector<std::string> words;
};
std::vector<Values> values() {
  return {{"algorithm", algorithm_names()},
          {"backend", {"reference"}},
          {"collective", names_of<CollectiveKind>(collective_count)},
          {"model", {"flow", "stream"}},
          {"net", network_names()},
          {"op", names_of<ReduceOp>(reduce_op_count)},
          {"rank-order", {"auto", "identity"}},
          {"type", names_of<ElementType>(element_type_count)}};
}

/// Bash; zsh reads it through bashcompinit.
std::string bash_script(const std::vector<Words>& all) {
  std::string text =
      "_ringside() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= w\n"
      "  for w in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case $w in -*) break ;; *) command=\"${command:+$command }$w\" ;; esac\n"
      "  done\n"
      "  case $before in\n";
  for (const Values& v : values())
    text += fmt::format("    --{}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n",
                        v.flag, joined(v.words));
  text += fmt::format(
      "    --system|topo) COMPREPLY=($(compgen -W '{}' -- \"$word\") $(compgen -f -- \"$word\")); "
      "return ;;\n",
      joined(system_names()));
  text += "  esac\n  case $command in\n";
  for (const Words& words : all) {
    auto offered = words.options;
    offered.insert(offered.end(), words.subcommands.begin(), words.subcommands.end());
    text += fmt::format("    '{}') COMPREPLY=($(compgen -W '{}' -- \"$word\")) ;;\n", words.command,
                        joined(offered));
  }
  return text +
         "  esac\n"
         "  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "}\n"
         "complete -F _ringside ringside ./ringside\n";
}

std::string fish_script(const std::vector<Words>& all) {
  std::string text;
  for (const Words& words : all) {
    const bool top = words.command.empty();
    const std::string where = top ? "__fish_use_subcommand"
                                  : fmt::format("__fish_seen_subcommand_from {}",
                                                words.command.substr(words.command.rfind(' ') + 1));
    for (const auto& sub : words.subcommands)
      text += fmt::format("complete -c ringside -f -n '{}' -a {}\n", where, sub);
    for (const auto& option : words.options)
      text += fmt::format("complete -c ringside -n '{}' -l {}\n", where, option.substr(2));
  }
  for (const Values& v : values())
    text += fmt::format("complete -c ringside -l {} -x -a '{}'\n", v.flag, joined(v.words));
  return text + fmt::format("complete -c ringside -l system -r -a '{}'\n", joined(system_names()));
}

Result<int> completion(const CLI::App& app, const std::string& shell) {
  if (std::find(std::begin(shells), std::end(shells), shell) == std::end(shells))
    return bad_request(unknown("completion for the shell", shell, shells));
  std::vector<Words> all;
  collect(app, "", all);
  std::string text = shell == "fish" ? fish_script(all) : bash_script(all);
  if (shell == "zsh") text = "autoload -U +X bashcompinit && bashcompinit\n" + text;
  RS_TRY(write(OutputOptions{}, text));
  return 0;
}

}  // namespace

void add_completion(CLI::App& app, Job& chosen) {
  auto* command = app.add_subcommand("completion", "Print a shell completion script");
  command->footer(
      "Example: ringside completion bash > ~/.local/share/bash-completion/completions/ringside");
  const auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")->required();
  command->callback(
      [&app, shell, &chosen] { chosen = [&app, shell] { return completion(app, *shell); }; });
}

}  // namespace ringside::terminal
