// The plugin: clang-19 -fsanitize=thread -fpass-plugin=libredflag-pass.so, or what `redflag c++` adds.
//
// The passes run last, when all of LLVM's own have: they see the loads and stores that are left, and
// vectors. LLVM's ThreadSanitizer pass runs as well, and is told to leave everything but the call
// that starts the runtime. A pass is switched off by its name in the environment variable
// REDFLAG_PASS_OFF ("loops,merge"; "inline" leaves calls); opt-19 runs each by itself,
// -passes=redflag-loops.
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

namespace redflag::pass {
namespace {

#ifdef REDFLAG_COUNTING
constexpr bool kCounting = true;
#else
constexpr bool kCounting = false;
#endif

// What can be switched off, in the order in which it runs; `numbers` before `instrument`, these behind.
template <typename Add>
void for_each_choice(Add add) {
  add("local", Local{});
  add("dominated", Dominated{});
  add("merge", Merge{});
  add("loops", Loops{});
  add("nests", Nests{});
  add("dominated", Dominated{});  // what came out of different loops
#ifdef REDFLAG_SAMPLING
  add("sampled", Sampled{});  // before `repeated`, whose memory only code that checks needs
#endif
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

void add_passes(llvm::FunctionPassManager& passes) {
  const std::set<std::string> off = switched_off();
  if (kCounting) {  // a simulator is to see every access, as often as it is made
    passes.addPass(Count{});
    passes.addPass(Instrument{{}, Lanes::kAll});
    passes.addPass(LowerToCalls{});
    return;
  }
  if (!off.contains("numbers")) passes.addPass(Numbers{});
  passes.addPass(Instrument{});
  for_each_choice([&](const char* name, auto pass) {
    if (!off.contains(name)) passes.addPass(std::move(pass));
  });
  if (off.contains("inline")) {
    passes.addPass(LowerToCalls{});
  } else {
    passes.addPass(Lower{});
  }
}

// LLVM's own pass: nothing but its module constructor.
void quieten_stock_pass() {
  llvm::StringMap<llvm::cl::Option*>& options = llvm::cl::getRegisteredOptions();
  for (const char* name : {"tsan-instrument-memory-accesses", "tsan-instrument-func-entry-exit",
                           "tsan-instrument-atomics", "tsan-instrument-memintrinsics"}) {
    const auto found = options.find(name);
    if (found == options.end()) continue;
    static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(false);
  }
}

void register_callbacks(llvm::PassBuilder& builder) {
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        quieten_stock_pass();
        llvm::FunctionPassManager mine;
        add_passes(mine);
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(mine)));
      });
  builder.registerPipelineParsingCallback([](llvm::StringRef name,
                                             llvm::FunctionPassManager& passes,
                                             llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    bool known = true;
    if (name == "redflag-count") {
      passes.addPass(Count{});
    } else if (name == "redflag-numbers") {
      passes.addPass(Numbers{});
    } else if (name == "redflag-instrument") {
      passes.addPass(Instrument{});
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
