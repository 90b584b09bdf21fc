#include "cli/wrap.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "cli/response_file.h"
#include "core/base/output_file.h"

namespace redflag::cli {
namespace {

constexpr std::size_t kMaxResponseBytes = std::size_t{16} << 20;
constexpr int kMaxResponseDepth = 10;

// gcc refuses -static together with -fsanitize=thread, whether it links or also compiles. So the
// flag goes to its compilers alone, by a file of specs, and what the user may have said is taken back.
constexpr const char* kTakenBack = "-fno-sanitize=thread";

// Options whose value is the next word: that word is no input.
constexpr std::array kWithValue{
    std::string_view("-o"),
    std::string_view("-x"),
    std::string_view("-I"),
    std::string_view("-L"),
    std::string_view("-D"),
    std::string_view("-U"),
    std::string_view("-MF"),
    std::string_view("-MT"),
    std::string_view("-MQ"),
    std::string_view("-MJ"),
    std::string_view("-T"),
    std::string_view("-u"),
    std::string_view("-z"),
    std::string_view("-B"),
    std::string_view("-G"),
    std::string_view("-A"),
    std::string_view("-e"),
    std::string_view("-Xlinker"),
    std::string_view("-include"),
    std::string_view("-imacros"),
    std::string_view("-isystem"),
    std::string_view("-iquote"),
    std::string_view("-idirafter"),
    std::string_view("-iprefix"),
    std::string_view("-isysroot"),
    std::string_view("-Xassembler"),
    std::string_view("-Xpreprocessor"),
    std::string_view("-Xclang"),
    std::string_view("-mllvm"),
    std::string_view("-target"),
    std::string_view("-arch"),
    std::string_view("-aux-info"),
    std::string_view("--param"),
    std::string_view("-dumpbase"),
    std::string_view("-dumpdir"),
    std::string_view("-wrapper"),
    std::string_view("--sysroot"),
    std::string_view("-gcc-toolchain"),
    std::string_view("-h"),
};

// Which form of ThreadSanitizer's library is linked: it is none.
constexpr std::array kOfItsLibrary{
    std::string_view("-static-libtsan"),
    std::string_view("-static-libsan"),
    std::string_view("-shared-libsan"),
};

// Options with which the compiler stops before linking.
constexpr std::array kNoLink{
    std::string_view("-c"),           std::string_view("-S"),
    std::string_view("-E"),           std::string_view("-M"),
    std::string_view("-MM"),          std::string_view("-fsyntax-only"),
    std::string_view("--preprocess"), std::string_view("--compile"),
    std::string_view("--assemble"),   std::string_view("-emit-ast"),
    std::string_view("--precompile"),
};

// What is linked and not compiled, by suffix.
constexpr std::array kObjects{
    std::string_view(".o"),   std::string_view(".a"),   std::string_view(".so"),
    std::string_view(".lo"),  std::string_view(".obj"), std::string_view(".ld"),
    std::string_view(".map"),
};

template <std::size_t N>
bool has(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_object(std::string_view word) {
  // libx.so.1.2 too.
  if (word.find(".so.") != std::string_view::npos) return true;
  return std::any_of(kObjects.begin(), kObjects.end(),
                     [word](std::string_view suffix) { return word.ends_with(suffix); });
}

// -g, -g3, -ggdb, -gdwarf-4, -gline-tables-only, -gsplit-dwarf; not -gcc-toolchain.
bool is_debug(std::string_view word) {
  return word.starts_with("-g") && !word.starts_with("-gcc");
}

bool names_other_sanitizer(std::string_view word) {
  constexpr std::string_view kFlag = "-fsanitize=";
  if (!word.starts_with(kFlag)) return false;
  word.remove_prefix(kFlag.size());
  while (!word.empty()) {
    const std::size_t end = std::min(word.find(','), word.size());
    if (word.substr(0, end) != "thread") return true;
    word.remove_prefix(std::min(end + 1, word.size()));
  }
  return false;
}

class Planner {
 public:
  void read(std::span<const std::string> words, int depth = 0) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word.size() > 1 && word[0] == '@' && depth < kMaxResponseDepth) {
        const Result<std::string> text = read_file(word.substr(1), kMaxResponseBytes);
        if (text) {
          read(response_words(*text), depth + 1);
          continue;
        }
      }
      const bool takes_next = has(kWithValue, word) && i + 1 < words.size();
      read(word, takes_next ? std::string_view(words[i + 1]) : std::string_view());
      if (takes_next) ++i;
    }
  }

  Plan finish() {
    if (!has_input_) {
      plan_.step = Step::kNone;
    } else if (stops_) {
      plan_.step = Step::kCompile;
    } else if (partial_) {
      plan_.step = Step::kPartial;
    } else {
      plan_.step = shared_ ? Step::kLibrary : Step::kProgram;
    }
    return plan_;
  }

 private:
  void read(std::string_view word, std::string_view value) {
    if (word == "-" || !word.starts_with('-')) {
      has_input_ = true;
      if (word == "-" || !is_object(word)) plan_.has_sources = true;
    } else if (word.starts_with("-l")) {
      has_input_ = true;
    } else if (has(kNoLink, word)) {
      stops_ = true;
    } else if (word == "-shared" || word == "--shared") {
      shared_ = true;
    } else if (word == "-r") {
      partial_ = true;
    } else if (word == "-static" || word == "--static" || word == "-static-pie") {
      plan_.is_static = true;
    } else if (word.starts_with("-fopenmp") || word == "-fno-openmp") {
      // -fopenmp-simd and the like make no threads.
      if (word == "-fopenmp" || word.starts_with("-fopenmp=")) plan_.uses_openmp = true;
      if (word == "-fno-openmp") plan_.uses_openmp = false;
    } else if (word.starts_with("-Wl,")) {
      plan_.demands_symbols |= word.find("-z,defs") != std::string_view::npos ||
                               word.find("--no-undefined") != std::string_view::npos;
    } else if (word == "-z" || word == "-Xlinker") {
      plan_.demands_symbols |= value == "defs" || value == "--no-undefined";
    } else if (is_debug(word)) {
      plan_.has_debug = true;
    } else if (names_other_sanitizer(word)) {
      plan_.has_other_sanitizer = true;
    }
  }

  Plan plan_;
  bool has_input_ = false;
  bool stops_ = false;
  bool shared_ = false;
  bool partial_ = false;
};

void append(std::vector<std::string>& to, std::vector<std::string> more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

// clang warns of what a step does not use; the user did not write these words.
std::vector<std::string> runtime_left_out(Family family, const RuntimeFiles& files) {
  if (family == Family::kClang) return {"-fno-sanitize-link-runtime"};
  return {"-B" + files.stand_in()};
}

// g++, clang++-19: they link the C++ library by themselves.
bool links_cxx_library(const Compiler& compiler) {
  const std::filesystem::path name(compiler.command.back());
  return name.filename().string().find("++") != std::string::npos;
}

// frontends/cpu/linkage/fixed.cpp has the other ends of these names.
std::vector<std::string> words_for_static(const Compiler& compiler, const RuntimeFiles& files) {
  std::vector<std::string> words;
  for (const std::string& folder : files.static_folders) words.push_back("-L" + folder);
  append(words, {"-Wl,--whole-archive", "-Xlinker", files.for_static(), "-Wl,--no-whole-archive",
                 "-Wl,--wrap=__cxa_end_catch",
                 "-Wl,--wrap=_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv",
                 "-Wl,--wrap=_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"});
  if (links_cxx_library(compiler)) {
    append(words, {"-Wl,-u,_ZSt15get_new_handlerv", "-Wl,-u,_ZSt17__throw_bad_allocv"});
  }
  // Nothing else would ask the linker for it: the program's calls are answered by us.
  if (files.static_folders.size() > 1) words.push_back("-Wl,-u,redflag_openmp_originals");
  return words;
}

std::vector<std::string> library_words(const Compiler& compiler, const RuntimeFiles& files,
                                       Runtime runtime) {
  if (runtime == Runtime::kForStatic) return words_for_static(compiler, files);
  // Through -Xlinker: a plain file name would be compiled after -x c++, and -Wl splits at commas.
  if (runtime == Runtime::kShared) {
    return {"-Wl,--push-state,--no-as-needed",
            "-Xlinker",
            files.shared(),
            "-Wl,--pop-state",
            "-Xlinker",
            "-rpath",
            "-Xlinker",
            files.folder};
  }
  std::error_code fault;
  const std::string exported = std::filesystem::exists(files.symbols(), fault)
                                   ? "--dynamic-list=" + files.symbols()
                                   : "--export-dynamic";
  return {"-Wl,--whole-archive",    "-Xlinker", files.archive(),
          "-Wl,--no-whole-archive", "-Xlinker", exported};
}

}  // namespace

Plan plan_of(std::span<const std::string> words) {
  Planner planner;
  planner.read(words);
  return planner.finish();
}

std::vector<std::string> compile_flags(const Compiler& compiler, bool with_debug) {
  std::vector<std::string> flags{"-fsanitize=thread", "-fno-omit-frame-pointer"};
  if (with_debug) flags.insert(flags.begin() + 1, "-g");
  if (!compiler.pass.empty()) flags.push_back("-fpass-plugin=" + compiler.pass);
  return flags;
}

std::vector<std::string> link_flags(const Compiler& compiler, const RuntimeFiles& files,
                                    Runtime runtime) {
  std::vector<std::string> flags;
  if (runtime == Runtime::kForStatic && compiler.family == Family::kGcc) {
    flags = {"-static", "-specs=" + files.specs(), kTakenBack};
  } else {
    if (runtime == Runtime::kForStatic) flags.push_back("-static");
    flags.push_back("-fsanitize=thread");
    append(flags, runtime_left_out(compiler.family, files));
  }
  append(flags, library_words(compiler, files, runtime));
  append(flags, {"-ldl", "-lpthread"});
  return flags;
}

std::string static_refused(const Compiler& compiler, const Plan& plan, bool shared_runtime) {
  if (shared_runtime) {
    return "needed: libredflag inside a program linked with -static\nfound: --shared-runtime, and "
           "such a program loads nothing\nto mend it: leave out --shared-runtime, or -static";
  }
  if (plan.step == Step::kLibrary) {
    return "needed: a program, or a library that is loaded\nfound: -shared with -static\nto mend "
           "it: link the library without -static; -static-libgcc and -static-libstdc++ are fine";
  }
  if (plan.uses_openmp && compiler.family == Family::kClang) {
    return "needed: a static OpenMP library\nfound: clang's, which is a shared library\nto mend "
           "it: add --compiler=gcc or --compiler=g++, whose OpenMP library can be linked "
           "statically\nor link without -static";
  }
  return {};
}

Result<std::vector<std::string>> wrapped_command(const Compiler& compiler,
                                                 std::span<const std::string> words,
                                                 const RuntimeFiles& files, bool shared_runtime) {
  const Plan plan = plan_of(words);
  std::vector<std::string> command = compiler.command;
  const auto finish = [&](std::vector<std::string> after) {
    std::copy_if(words.begin(), words.end(), std::back_inserter(command),
                 [](const std::string& word) { return !has(kOfItsLibrary, word); });
    append(command, std::move(after));
    return command;
  };
  if (plan.step == Step::kNone) return finish({});
  const bool links = plan.step == Step::kProgram || plan.step == Step::kLibrary;
  const bool is_static = links && plan.is_static;
  if (is_static) {
    const std::string refused = static_refused(compiler, plan, shared_runtime);
    if (!refused.empty()) return fail(refused);
  }
  std::vector<std::string> after;
  append(command, compile_flags(compiler, !plan.has_debug && plan.has_sources));
  if (!links) return finish({});

  if (is_static && compiler.family == Family::kGcc) {
    command[compiler.command.size()] = "-specs=" + files.specs();
    after.emplace_back(kTakenBack);
  } else if (compiler.family != Family::kClang || !plan.has_other_sanitizer) {
    append(command, runtime_left_out(compiler.family, files));
  } else if (plan.has_sources) {
    // Leaving out the link runtime leaves out that of the other sanitizer as well.
    return fail(
        "needed: one sanitizer, or compiling and linking apart\nfound: -fsanitize= of another "
        "sanitizer where clang compiles and links in one step\nto mend it: compile with -c first, "
        "or add --compiler=g++");
  } else {
    after.push_back("-fno-sanitize=thread");
  }
  if (plan.step == Step::kProgram || shared_runtime) {
    append(command, library_words(compiler, files, runtime_of(is_static, shared_runtime)));
    append(after, {"-ldl", "-lpthread"});
  } else if (plan.demands_symbols) {
    // The runtime's symbols come from the program that loads the library.
    after.push_back("-Wl,-z,undefs");
  }
  return finish(std::move(after));
}

}  // namespace redflag::cli
