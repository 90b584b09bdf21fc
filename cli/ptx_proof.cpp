// redflag ptx --proof: which version a launch of each kernel would get, and what stands in the way of a cheaper one.
//
// The launch is one that looks like most, but for what --grid, --block and --param say. A real launch is asked about
// with its own sizes, parameters and allocations, and may get another version: 'redflag run --stats' counts those.
#include <charconv>
#include <limits>

#include "cli/console.h"
#include "cli/ptx.h"
#include "core/report/words.h"

namespace redflag::cli {
namespace {

template <typename T>
bool to_whole(std::string_view text, T& value) {
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, value);
  return !text.empty() && fault == std::errc() && rest == end;
}

std::string words_of(const gpu::Dim& dim) {
  return std::to_string(dim.x) + "," + std::to_string(dim.y) + "," + std::to_string(dim.z);
}

std::string words_of(const rewrite::Explained& each) {
  if (!each.why_unchecked.empty()) return "not checked: " + each.why_unchecked;
  switch (each.version) {
    case rewrite::Version::kPlain:
      return "plain: nothing can race, and it runs as the program has it";
    case rewrite::Version::kLean:
      return "lean: only what may race has hooks";
    case rewrite::Version::kFull:
      return "full: every access has a hook, since " + each.why_full;
  }
  return "";
}

std::string text_of(const rewrite::Explained& each) {
  std::string text = both_names(each.kernel) + "\n  " + words_of(each) + "\n";
  text += "  asked with --grid=" + words_of(each.grid) + " --block=" + words_of(each.block);
  for (std::size_t i = 0; i < each.parameters.size(); ++i) {
    text += (i == 0 ? "; parameters " : ", ") + std::to_string(i) + ": " + each.parameters[i];
  }
  text += "\n";
  if (each.accesses == 0 || !each.why_unchecked.empty()) return text;
  text += "  " + with_separators(each.doubts.size()) + " of " + with_separators(each.accesses) +
          " accesses may race, for all that is known\n";
  for (const rewrite::Doubt& doubt : each.doubts) {
    text += "    " + doubt.where + ": " + doubt.text + "\n      " + doubt.why + "\n";
  }
  return text;
}

Result<rewrite::Asked> asked_by(const Arguments& arguments) {
  constexpr std::uint32_t kMostThreads = 1024,
                          kMostBlocks = std::numeric_limits<std::int32_t>::max();
  rewrite::Asked asked;
  const std::string wanted = arguments.text("kernel");
  asked.is_wanted = [wanted](std::string_view name) {
    return wanted.empty() || is_named(name, wanted);
  };
  if (arguments.is_set("grid")) {
    const Result<gpu::Dim> grid = to_dim("grid", arguments.text("grid"), kMostBlocks);
    if (!grid) return Failure(grid.error());
    asked.grid = *grid;
  }
  if (arguments.is_set("block")) {
    const Result<gpu::Dim> block = to_dim("block", arguments.text("block"), kMostThreads);
    if (!block) return Failure(block.error());
    if (block->count() > kMostThreads) {
      return fail("--block=" + arguments.text("block") + " has " + with_separators(block->count()) +
                  " threads; needed at most " + with_separators(kMostThreads));
    }
    asked.block = *block;
  }
  for (const std::string& each : arguments.all("param")) {
    const Result<rewrite::Argument> argument = to_argument(each);
    if (!argument) return Failure(argument.error());
    asked.arguments.push_back(*argument);
  }
  return asked;
}

}  // namespace

Result<gpu::Dim> to_dim(std::string_view option, std::string_view text, std::uint32_t most) {
  std::uint32_t sizes[3] = {1, 1, 1};
  std::string_view rest = text;
  for (std::uint32_t& size : sizes) {
    const std::size_t comma = rest.find(',');
    const bool is_good = to_whole(rest.substr(0, comma), size) && size >= 1 && size <= most;
    if (is_good && comma == std::string_view::npos) return gpu::Dim{sizes[0], sizes[1], sizes[2]};
    if (!is_good) break;
    rest.remove_prefix(comma + 1);
  }
  return fail("--" + std::string(option) + " needs one to three numbers from 1 to " +
              with_separators(most) + "; found '" + std::string(text) + "'; such as --" +
              std::string(option) + "=128,4");
}

Result<rewrite::Argument> to_argument(std::string_view text) {
  using Kind = rewrite::Argument::Kind;
  constexpr std::string_view kSame = "same:";
  rewrite::Argument made;
  const std::size_t equals = text.find('=');
  const bool has_value =
      equals != std::string_view::npos && to_whole(text.substr(0, equals), made.parameter);
  const std::string_view value = has_value ? text.substr(equals + 1) : std::string_view();
  if (value == "buffer") {
    made.kind = Kind::kBuffer;
    return made;
  }
  made.kind = value.starts_with(kSame) ? Kind::kSame : Kind::kNumber;
  const std::string_view digits = made.kind == Kind::kSame ? value.substr(kSame.size()) : value;
  if (to_whole(digits, made.value) && (made.kind == Kind::kNumber || made.value >= 0)) return made;
  return fail(
      "--param needs a parameter's number, from 0, and what it is: a whole number, 'buffer' or "
      "'same:' and another one's "
      "number; found '" +
      std::string(text) + "'; such as --param=2=4096 --param=0=buffer --param=1=same:0");
}

Status print_proof(const std::vector<ptx::Module>& modules, const Arguments& arguments) {
  const Result<rewrite::Asked> asked = asked_by(arguments);
  if (!asked) return bad_input(asked.error().message);
  std::string text, names;
  for (const ptx::Module& module : modules) {
    const Result<std::vector<rewrite::Explained>> all = rewrite::explain(module, *asked);
    if (!all) return bad_input(all.error().message);
    for (const rewrite::Explained& each : *all) text += (text.empty() ? "" : "\n") + text_of(each);
    for (const ptx::Function& each : module.functions) {
      if (each.is_entry && each.defined) names += "\n  " + both_names(each.name);
    }
  }
  if (!text.empty()) return print_and_end(text);
  if (names.empty())
    return bad_input("needed a kernel to prove something of; found none in " +
                     arguments.operands().front());
  return bad_input("no kernel is named '" + arguments.text("kernel") + "'; there are:" + names);
}

}  // namespace redflag::cli
