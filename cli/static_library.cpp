#include "cli/static_library.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include "cli/archive.h"
#include "cli/child.h"
#include "core/base/output_file.h"

namespace redflag::cli {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

// A change of what is made here makes older copies useless.
constexpr std::string_view kFormat = "2";

// Replaceable by a program, so the C library itself calls whichever there is.
constexpr std::array kReplaceable{
    std::string_view("malloc"),         std::string_view("calloc"),
    std::string_view("realloc"),        std::string_view("free"),
    std::string_view("memalign"),       std::string_view("aligned_alloc"),
    std::string_view("posix_memalign"), std::string_view("valloc"),
    std::string_view("pvalloc"),        std::string_view("malloc_usable_size"),
    std::string_view("reallocarray"),
};
// These call a library function for the program: of the shared library, they are a part of each
// program (libc_nonshared.a).
constexpr std::array kOutside{std::string_view("at_quick_exit"), std::string_view("atexit")};

// A static library to copy, and how.
struct Recipe {
  std::string_view file;
  std::string_view table;  // the symbol of its table of originals
  std::string_view package;
  std::string_view asked;  // libredflag asks for functions of this kind that it does not replace
  bool as_one;  // all of it in one member, between marks: its code must be known as its own
};
constexpr Recipe kLibc{"libc.a", "redflag_libc_originals", "libc6-dev (elsewhere: glibc-static)",
                       "", false};
constexpr Recipe kLibgomp{"libgomp.a", "redflag_openmp_originals", "libgcc-12-dev, with gcc",
                          "omp_", true};

Result<void> write_text(const fs::path& path, std::string_view text) {
  Result<OutputFile> file = OutputFile::create(path.string());
  if (!file) return tl::unexpected(file.error());
  if (const Result<void> done = file->write(text); !done) return done;
  return file->commit();
}

// The words between braces and semicolons.
Names names_of(std::string_view dynamic_list) {
  Names names;
  std::string name;
  for (const char c : dynamic_list) {
    if (std::strchr("{}; \n", c) == nullptr) {
      name += c;
    } else if (!name.empty()) {
      names.insert(std::exchange(name, {}));
    }
  }
  return names;
}

std::string hashed(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::string hex;
  for (int shift = 60; shift >= 0; shift -= 4) hex += "0123456789abcdef"[h >> shift & 15];
  return hex;
}

// Ours alone: what lies there is linked into programs.
Result<fs::path> cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  std::error_code fault;
  fs::path folder = variable("REDFLAG_CACHE_DIR");
  if (folder.empty() && variable("XDG_CACHE_HOME").is_absolute()) {
    folder = variable("XDG_CACHE_HOME") / "redflag";
  }
  if (folder.empty() && variable("HOME").is_absolute()) {
    folder = variable("HOME") / ".cache" / "redflag";
  }
  if (folder.empty()) {
    folder = fs::temp_directory_path(fault) / ("redflag-" + std::to_string(::getuid()));
  }
  folder = fs::absolute(folder, fault);
  fs::create_directories(folder.parent_path(), fault);
  ::mkdir(folder.c_str(), 0700);
  struct stat status{};
  if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      ::access(folder.c_str(), W_OK) != 0 || status.st_uid != ::geteuid()) {
    return fail(
        "needed: a folder of your own, to keep a copy of libc.a for -static programs\nfound: " +
        folder.string() +
        ", which cannot be made or written, or is another user's\n"
        "to mend it: REDFLAG_CACHE_DIR=DIR\nor link without -static");
  }
  return folder;
}

// The tool that belongs to this compiler's linker.
std::string tool_of(const Compiler& compiler, std::string_view name) {
  std::vector<std::string> words = compiler.command;
  words.push_back("-print-prog-name=" + std::string(name));
  Result<std::string> said = run_child(words);
  if (!said) return std::string(name);
  said->erase(std::min(said->find('\n'), said->size()));
  return find_program(*said).empty() ? std::string(name) : *said;
}

Result<std::string> library_of(const Compiler& compiler, const Recipe& recipe) {
  std::vector<std::string> words = compiler.command;
  words.push_back("-print-file-name=" + std::string(recipe.file));
  Result<std::string> said = run_child(words);
  if (!said) return said;
  said->erase(std::min(said->find('\n'), said->size()));
  // Without a folder: the compiler did not find it. Two compilers may go different ways to one file.
  std::error_code fault;
  const fs::path file = fs::canonical(*said, fault);
  if (said->find('/') != std::string::npos && !fault) return file.string();
  return fail("needed: " + std::string(recipe.file) +
              ", since -static links it\nfound: none that " + compiler.command.back() +
              " knows\nto get it: apt-get install " + std::string(recipe.package) +
              "\nor link without -static");
}

class Copier {
 public:
  Copier(const Compiler& compiler, const Recipe& recipe, const Names& ours, const Archive& from,
         fs::path folder)
      : compiler_(compiler),
        recipe_(recipe),
        from_(from),
        folder_(std::move(folder)),
        result_((folder_ / recipe.file).string()),
        objcopy_(tool_of(compiler, "objcopy")),
        ar_(tool_of(compiler, "ar")) {
    for (const auto& [name, at] : from.defined) {
      if (ours.contains(name)) renamed_.insert(name);
    }
  }

  Result<void> make(const std::string& library) {
    Names inside = renamed_;
    for (const std::string_view name : kReplaceable) inside.erase(std::string(name));
    Result<void> done = copy(library, result_, inside);
    if (done) done = replace_members();
    if (done) done = recipe_.as_one ? join() : add(folder_ / "originals.o", table());
    return done;
  }

 private:
  Result<void> copy(const std::string& from, const std::string& to, const Names& names) {
    std::vector<std::string> words{objcopy_};
    std::string text;
    for (const std::string& name : names) {
      text += name + " __real_" + name + "\n";
      // Its warnings would be about us: we name the function, called or not.
      const std::string warning = ".gnu.warning." + name;
      if (from_.bytes.find(warning + '\0') != std::string::npos) {
        words.push_back("--remove-section=" + warning);
      }
    }
    const fs::path list = folder_ / "renamed";
    if (const Result<void> done = write_text(list, text); !done) return done;
    words.insert(words.end(), {"--redefine-syms=" + list.string(), from, to});
    return run(words);
  }

  // Those where other names are to be changed than in the rest.
  Result<void> replace_members() {
    std::set<std::uint32_t> defining, outside;
    for (const auto& [name, at] : from_.defined) {
      if (std::ranges::find(kReplaceable, name) != kReplaceable.end()) defining.insert(at);
      if (std::ranges::find(kOutside, name) != kOutside.end()) outside.insert(at);
    }
    std::vector<std::string> words{ar_, "r", result_};
    for (const std::set<std::uint32_t>* members : {&defining, &outside}) {
      for (const std::uint32_t at : *members) {
        const std::string file = (folder_ / from_.member_name(at)).string();
        Result<void> done = write_text(file, from_.member(at));
        if (done && members == &defining) done = copy(file, file, renamed_);
        if (!done) return done;
        words.push_back(file);
      }
    }
    return words.size() == 3 ? Result<void>() : run(words);
  }

  // Sorted, as libredflag expects it: the map is.
  std::string table() const {
    std::string addresses, names;
    std::size_t i = 0;
    for (const auto& [name, at] : from_.defined) {
      const bool is_renamed = renamed_.contains(name);
      if (!is_renamed && (recipe_.asked.empty() || !name.starts_with(recipe_.asked))) continue;
      const std::string label = ".Lname" + std::to_string(i++);
      addresses += "  .quad " + label + (is_renamed ? ", __real_" : ", ") + name + "\n";
      names += label + ": .string \"" + name + "\"\n";
    }
    const std::string symbol(recipe_.table);
    return ".section .data.rel.ro,\"aw\",@progbits\n.balign 8\n.globl " + symbol + "\n.hidden " +
           symbol + "\n" + symbol + ":\n" + addresses +
           "  .quad 0, 0\n.section .rodata.str1.1,\"aMS\",@progbits,1\n" + names + kNoStack;
  }

  Result<void> assemble(const fs::path& object, const std::string& text) {
    const std::string source = object.string() + ".s";
    if (const Result<void> done = write_text(source, text); !done) return done;
    std::vector<std::string> words = compiler_.command;
    words.insert(words.end(), {"-c", source, "-o", object.string()});
    return run(words);
  }

  Result<void> add(const fs::path& object, const std::string& text) {
    if (const Result<void> done = assemble(object, text); !done) return done;
    return run({ar_, "q", result_, object.string()});
  }

  // One object, whose code lies between two marks.
  Result<void> join() {
    const auto mark = [](const std::string& name) {
      return ".text\n.globl " + name + "\n.hidden " + name + "\n" + name + ":\n  nop\n" + kNoStack;
    };
    const std::string whole = (folder_ / "whole.o").string();
    const std::string begin = (folder_ / "begin.o").string();
    const std::string end = (folder_ / "end.o").string();
    Result<void> done = assemble(begin, mark("redflag_openmp_begin"));
    if (done) done = assemble(end, mark("redflag_openmp_end") + table());
    if (!done) return done;
    std::vector<std::string> words = compiler_.command;
    words.insert(words.end(), {"-r", "-nostdlib", "-o", whole, begin, "-Wl,--whole-archive",
                               result_, "-Wl,--no-whole-archive", end});
    done = run(words);
    if (done && ::unlink(result_.c_str()) == 0) done = run({ar_, "rc", result_, whole});
    return done;
  }

  Result<void> run(const std::vector<std::string>& words) {
    const Result<std::string> said = run_child(words);
    if (said) return {};
    return fail("needed: a copy of " + std::string(recipe_.file) +
                " for -static\nfound: " + said.error().message +
                "\nto mend it: apt-get install binutils\nor link without -static");
  }

  static constexpr const char* kNoStack = ".section .note.GNU-stack,\"\",@progbits\n";

  const Compiler& compiler_;
  const Recipe& recipe_;
  const Archive& from_;
  const fs::path folder_;
  const std::string result_;
  const std::string objcopy_;
  const std::string ar_;
  Names renamed_;
};

// One folder for each library, and only the library in it.
Result<std::string> prepare(const Compiler& compiler, const Recipe& recipe,
                            const std::string& list) {
  Result<std::string> library = library_of(compiler, recipe);
  if (!library) return library;
  const Result<fs::path> cache = cache_folder();
  if (!cache) return tl::unexpected(cache.error());
  struct stat status{};
  if (::stat(library->c_str(), &status) != 0) return fail(*library + ": " + std::strerror(errno));
  const std::string identity = std::string(kFormat) + "\n" + *library + "\n" +
                               std::to_string(status.st_size) + "\n" +
                               std::to_string(status.st_mtim.tv_sec) + "\n" + list;
  const fs::path home = *cache / ("static-" + hashed(identity));
  std::error_code fault;
  if (fs::exists(home / recipe.file, fault)) return home.string();

  const Result<Archive> archive = read_archive(*library);
  if (!archive) return tl::unexpected(archive.error());
  std::string work = (*cache / "making-XXXXXX").string();
  if (::mkdtemp(work.data()) == nullptr) return fail(work + ": " + std::strerror(errno));
  const Result<void> made = Copier(compiler, recipe, names_of(list), *archive, work).make(*library);
  if (made) {
    fs::create_directories(home, fault);
    fs::rename(fs::path(work) / recipe.file, home / recipe.file, fault);
  }
  std::error_code ignored;
  fs::remove_all(work, ignored);
  if (!made) return tl::unexpected(made.error());
  if (fault) return fail(home.string() + ": " + fault.message());
  return home.string();
}

}  // namespace

Result<std::vector<std::string>> prepare_static_libraries(const Compiler& compiler,
                                                          const RuntimeFiles& files, bool openmp) {
  const Result<std::string> list = read_file(files.symbols(), std::size_t{1} << 20);
  if (!list) return tl::unexpected(list.error());
  std::vector<std::string> folders;
  for (const Recipe* recipe : {&kLibc, &kLibgomp}) {
    if (recipe == &kLibgomp && !openmp) continue;
    Result<std::string> folder = prepare(compiler, *recipe, *list);
    if (!folder) return tl::unexpected(folder.error());
    folders.push_back(std::move(*folder));
  }
  return folders;
}

}  // namespace redflag::cli
