#include "core/report/own_code.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/base/cxx_name.h"
#include "core/report/words.h"

namespace redflag {
namespace {

using Marks = std::span<const std::string_view>;

// By what the frames of a library are known: parts of their files' paths, beginnings of their
// functions' qualified names, beginnings of their binaries' names.
struct Library {
  std::string_view name;
  Marks files;
  Marks functions;
  Marks modules;
};

constexpr std::string_view kLibcxxFiles[]{"/c++/v1/", "/libcxx/", "/libcxxabi/"};
constexpr std::string_view kLibcxxFunctions[]{"std::__1::"};
constexpr std::string_view kLibcxxModules[]{"libc++"};
constexpr std::string_view kLibcuxxFiles[]{"/cuda/std/", "/libcudacxx/", "/cuda/__"};
constexpr std::string_view kLibcuxxFunctions[]{"cuda::std::", "cuda::__"};
constexpr std::string_view kThrustFiles[]{"/include/thrust/", "/include/cub/", "/cccl/"};
constexpr std::string_view kThrustFunctions[]{"thrust::", "cub::"};
constexpr std::string_view kGroupsFiles[]{"/cooperative_groups/", "/cooperative_groups.h"};
constexpr std::string_view kGroupsFunctions[]{"cooperative_groups::"};
constexpr std::string_view kLibstdcxxFiles[]{"/include/c++/", "-linux-gnu/c++/", "/libstdc++-v3/"};
constexpr std::string_view kLibstdcxxFunctions[]{"std::", "__gnu_cxx::", "__cxxabiv1::"};
constexpr std::string_view kLibstdcxxModules[]{"libstdc++"};
constexpr std::string_view kOpenMpFiles[]{"/openmp/runtime/", "/libgomp/"};
constexpr std::string_view kOpenMpModules[]{"libgomp.", "libomp.", "libiomp5."};
constexpr std::string_view kLibcFiles[]{"/sysdeps/", "./nptl/", "./csu/"};
constexpr std::string_view kLibcModules[]{"libc.so", "libc-", "ld-linux", "libpthread", "ld-musl"};
constexpr std::string_view kRedflagModules[]{"libredflag"};

// The first that fits counts: libc++'s files lie in libstdc++'s folder.
constexpr std::array<Library, 8> kLibraries{{
    {"libc++", kLibcxxFiles, kLibcxxFunctions, kLibcxxModules},
    {"libcu++", kLibcuxxFiles, kLibcuxxFunctions, {}},
    {"Thrust", kThrustFiles, kThrustFunctions, {}},
    {"cooperative groups", kGroupsFiles, kGroupsFunctions, {}},
    {"libstdc++", kLibstdcxxFiles, kLibstdcxxFunctions, kLibstdcxxModules},
    {"the OpenMP library", kOpenMpFiles, {}, kOpenMpModules},
    {"libc", kLibcFiles, {}, kLibcModules},
    // Which takes the place of the C library's functions.
    {"libc", {}, {}, kRedflagModules},
}};
constexpr std::string_view kLibc = "libc";

// What calls main and threads' first functions; clones may stand in the program itself (-static).
constexpr std::array<std::string_view, 8> kStarters{
    "_start",           "start_thread",          "clone", "clone3", "__clone", "__libc_start_main",
    "__clone_internal", "__libc_start_call_main"};

bool is_starter(const CodeFrame& frame) {
  return std::find(kStarters.begin(), kStarters.end(), frame.function) != kStarters.end();
}

bool contains_one(std::string_view text, Marks marks) {
  return std::any_of(marks.begin(), marks.end(), [text](std::string_view mark) {
    return text.find(mark) != std::string_view::npos;
  });
}

bool begins_with_one(std::string_view text, Marks marks) {
  return std::any_of(marks.begin(), marks.end(),
                     [text](std::string_view mark) { return text.starts_with(mark); });
}

// A toolchain elsewhere has its headers in other folders, but in bits/ below them.
bool is_standard_header(const CodeFrame& frame, std::string_view function) {
  return frame.file.find("/bits/") != std::string::npos &&
         begins_with_one(function, kLibstdcxxFunctions);
}

// One that tells something to a person who does not know the library's insides.
bool is_worth_showing(const CodeFrame& frame, std::string_view library) {
  return library.empty() || (library == kLibc && frame.line_state != LineState::kCalled &&
                             !frame.function.empty() && !is_starter(frame));
}

std::string run_label(const Stack& stack, std::size_t begin, std::size_t count) {
  std::vector<std::string_view> names;
  for (std::size_t i = begin; i < begin + count; ++i) {
    const std::string_view one = library_of(stack[i]);
    if (std::find(names.begin(), names.end(), one) == names.end()) names.push_back(one);
  }
  std::string text = plural(count, "frame", "frames") + " of ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + std::string(names[i]);
  }
  return text;
}

}  // namespace

std::string_view library_of(const CodeFrame& frame) {
  const std::string_view function = qualified_name(frame.function);
  if (!frame.file.empty()) {
    for (const Library& library : kLibraries) {
      if (contains_one(frame.file, library.files)) return library.name;
    }
    return is_standard_header(frame, function) ? "libstdc++" : std::string_view();
  }
  for (const Library& library : kLibraries) {
    if (begins_with_one(function, library.functions)) return library.name;
  }
  const std::string_view module = base_name(frame.module);
  for (const Library& library : kLibraries) {
    if (begins_with_one(module, library.modules)) return library.name;
  }
  if (is_starter(frame)) return kLibc;
  return frame.line_state == LineState::kCalled ? kLibc : std::string_view();
}

const CodeFrame* own_frame(const Stack& stack) {
  const CodeFrame* any = nullptr;
  for (const CodeFrame& frame : stack) {
    if (frame.file.empty()) continue;
    if (library_of(frame).empty()) return &frame;
    if (any == nullptr) any = &frame;
  }
  return any;
}

const CodeFrame* own_function(const Stack& stack) {
  const bool has_files = std::any_of(stack.begin(), stack.end(),
                                     [](const CodeFrame& frame) { return !frame.file.empty(); });
  const CodeFrame* any = nullptr;
  for (const CodeFrame& frame : stack) {
    if (frame.function.empty() || !library_of(frame).empty()) continue;
    if (frame.function == "operator()") continue;  // any lambda
    if (frame.line_state == LineState::kSystemLibrary) continue;
    // Among frames with files, one that has neither file nor binary is a function that was called.
    if (has_files && frame.file.empty() && frame.module.empty()) continue;
    if (!is_template(frame.function)) return &frame;
    if (any == nullptr) any = &frame;
  }
  return any;
}

std::vector<FoldedRun> folded(const Stack& stack) {
  std::vector<FoldedRun> runs;
  const auto fold = [&](std::size_t begin, std::size_t end) {
    if (begin < end) runs.push_back({begin, end - begin, run_label(stack, begin, end - begin)});
  };
  for (std::size_t begin = 0; begin < stack.size();) {
    std::size_t end = begin;
    while (end < stack.size() && !is_worth_showing(stack[end], library_of(stack[end]))) ++end;
    if (begin == 0 && end == stack.size()) {  // nothing of the program's own: where it happened
      runs.push_back({0, 1, ""});
      fold(1, end);
    } else if (begin == 0 && end > 0) {  // the function that the program called; the rest is how
      fold(0, end - 1);
      runs.push_back({end - 1, 1, ""});
    } else {
      fold(begin, end);
    }
    if (end == begin) runs.push_back({end++, 1, ""});
    begin = end;
  }
  return runs;
}

}  // namespace redflag
