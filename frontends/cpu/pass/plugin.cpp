// The plugin: clang-19 -fsanitize=thread -fpass-plugin=libredflag-pass.so, or what `redflag c++` adds.
//
// But for `apart`, the passes run last, when all of LLVM's own have: they see the loads and stores
// that are left, and vectors. LLVM's ThreadSanitizer pass runs as well, but its options are set so
// that it only adds the call that starts the runtime; what they were before holds for these passes.
// A pass is switched off by its name in the environment variable REDFLAG_PASS_OFF ("loops,merge";
// "inline" leaves calls); opt-19 runs each by itself, -passes=redflag-loops.
//
// libredflag-pass-sampling.so is the same plugin with the pass `sampled`, for `redflag c++ --sampling`:
// which file is loaded is all that a compiler's command line, and a cache of it, has to know. So it is with
// libredflag-pass-counting.so, for --count-instructions: there each access is checked by itself, in its
// place, and the program counts its instructions.
#include <llvm/ADT/StringExtras.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>

#include <cstdlib>
#include <set>
#include <string>

#include "frontends/cpu/pass/passes.h"
#include "frontends/cpu/pass/which.h"

namespace redflag::pass {
namespace {

// What can be switched off, in the order in which it runs; `numbers` before `instrument`, these behind.
template <typename Add>
void for_each_choice(Add add) {
  add("local", Local{});
  add("dominated", Dominated{});
  add("merge", Merge{});
  add("loops", Loops{});
  add("nests", Nests{});
  add("dominated", Dominated{});  // what came out of different loops
  // Before `repeated`, whose memory only code that checks needs.
  if (kPlugin == Plugin::kSampling) add("sampled", Sampled{});
  add("repeated", Repeated{});
}

// A name that is none would leave the user with all passes and the wrong conclusion.
std::set<std::string> switched_off() {
  std::set<std::string> known{"numbers", "inline"};
  for_each_choice([&](const char* name, auto) { known.insert(name); });
  std::set<std::string> names;
  const char* variable = std::getenv("REDFLAG_PASS_OFF");
  llvm::SmallVector<llvm::StringRef, 8> parts;
  llvm::StringRef(variable != nullptr ? variable : "").split(parts, ',', -1, false);
  for (const llvm::StringRef part : parts) {
    const std::string name = part.trim().str();
    if (!known.contains(name)) {
      llvm::report_fatal_error(llvm::Twine("REDFLAG_PASS_OFF: no pass is called '") + name +
                                   "'; there are: " + llvm::join(known, ", "),
                               /*gen_crash_diag=*/false);
    }
    names.insert(name);
  }
  return names;
}

// LLVM's own pass: nothing but its module constructor. What its options leave out (-mllvm
// -tsan-instrument-atomics=0, as -fno-sanitize-thread-atomics says it to LLVM) is left out here
// instead.
Wanted take_over_stock_pass() {
  static const Wanted kWanted = [] {
    Wanted wanted;
    llvm::StringMap<llvm::cl::Option*>& options = llvm::cl::getRegisteredOptions();
    const std::pair<const char*, bool*> taken[] = {
        {"tsan-instrument-memory-accesses", &wanted.accesses},
        {"tsan-instrument-memintrinsics", &wanted.copies},
        {"tsan-instrument-atomics", &wanted.atomics},
        {"tsan-instrument-func-entry-exit", &wanted.frames}};
    for (const auto& [name, is_wanted] : taken) {
      const auto found = options.find(name);
      if (found == options.end()) continue;
      auto* const option = static_cast<llvm::cl::opt<bool>*>(found->second);
      *is_wanted = option->getValue();
      option->setValue(false);
    }
    return wanted;
  }();
  return kWanted;
}

void add_passes(llvm::FunctionPassManager& passes) {
  const std::set<std::string> off = switched_off();
  const Wanted wanted = take_over_stock_pass();
  if (kPlugin == Plugin::kCounting) {  // a simulator is to see every access, as often as it is made
    passes.addPass(Count{});
    passes.addPass(Instrument{{}, Lanes::kAll, wanted});
    passes.addPass(LowerToCalls{});
    return;
  }
  if (!off.contains("numbers")) passes.addPass(Numbers{});
  passes.addPass(Instrument{{}, Lanes::kUsed, wanted});
  for_each_choice([&](const char* name, auto pass) {
    if (!off.contains(name)) passes.addPass(std::move(pass));
  });
  if (off.contains("inline")) {
    passes.addPass(LowerToCalls{});
  } else {
    passes.addPass(Lower{});
  }
}

void register_callbacks(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(Apart{}));
      });
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        llvm::FunctionPassManager mine;
        add_passes(mine);
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(mine)));
      });
  builder.registerPipelineParsingCallback([](llvm::StringRef name,
                                             llvm::FunctionPassManager& passes,
                                             llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    bool known = true;
    if (name == "redflag-apart") {
      passes.addPass(Apart{});
    } else if (name == "redflag-count") {
      passes.addPass(Count{});
    } else if (name == "redflag-numbers") {
      passes.addPass(Numbers{});
    } else if (name == "redflag-instrument") {
      passes.addPass(Instrument{{}, Lanes::kUsed, take_over_stock_pass()});
    } else if (name == "redflag-lower") {
      passes.addPass(Lower{});
    } else if (name == "redflag-lower-to-calls") {
      passes.addPass(LowerToCalls{});
    } else if (name == "redflag") {
      add_passes(passes);
    } else {
      known = false;
      for_each_choice([&](const char* choice, auto pass) {
        if (known || name != std::string("redflag-") + choice) return;
        passes.addPass(std::move(pass));
        known = true;
      });
    }
    return known;
  });
}

}  // namespace
}  // namespace redflag::pass

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "redflag", "0.1.0", redflag::pass::register_callbacks};
}
