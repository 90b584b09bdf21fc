#include "cli/sampling.h"

#include <optional>
#include <string_view>

#include "cli/options.h"

namespace redflag::cli {
namespace {

std::string strategy(const Arguments& arguments) {
  return std::string(strategy_of(arguments.text("sample")));
}

}  // namespace

Result<void> can_sample(const Arguments& arguments, const std::string& name, const Probe& probe,
                        bool is_job) {
  if (strategy(arguments) == "NL") {
    if (is_job) return {};
    return fail("needed: a program of MPI or OpenSHMEM, for --sample=NL\nfound: " + name +
                " is none: without its local accesses there is nothing to check\nto mend it: "
                "leave out --sample, or take another of I, F, H, IA, FA, HA");
  }
  if ((strategy(arguments) == "none" && !arguments.is_set("budget")) || probe.sampled) return {};
  return fail("needed: a program compiled for sampling\nfound: " + name +
              " has no code without checks\nto mend it: compile and link it with 'redflag " +
              (is_job ? "mpicc" : "c++") +
              " --sampling' (clang 19)\nor leave out --sample and --budget: everything is checked" +
              (is_job ? "; --sample=NL needs no such program" : ""));
}

Result<void> look_at_sampling(const Arguments& arguments) {
  for (const char* name : {"function-backoff", "instruction-backoff"}) {
    if (!arguments.is_set(name)) continue;
    const std::optional<double> factor = to_decimal(arguments.text(name));
    if (!factor || *factor > 1) {
      return fail(std::string("--") + name + "=" + arguments.text(name) +
                  ": expected a factor from 0 to 1, such as 0.5");
    }
  }
  if (arguments.is_set("function-backoff") && !factor_of(arguments.text("sample")).empty()) {
    return fail("needed: one factor for functions\nfound: --sample=" + arguments.text("sample") +
                " and --function-backoff=" + arguments.text("function-backoff") +
                "\nto mend it: leave one of them out");
  }
  if (arguments.is_set("budget")) {
    const std::string given = arguments.text("budget");
    std::string_view text = given;
    if (text.ends_with('x')) text.remove_suffix(1);
    const std::optional<double> factor = to_decimal(text);
    if (!factor || *factor <= 1 || *factor > 1000) {
      return fail("--budget=" + given +
                  ": expected a slowdown above 1 and at most 1000, such as 1.2x");
    }
    if (strategy(arguments) != "none") {
      return fail(
          "needed: --sample or --budget\nfound: both; a budget decides itself what is "
          "sampled\nto mend it: leave one of them out");
    }
  }
  return {};
}

}  // namespace redflag::cli
