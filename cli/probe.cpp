#include "cli/probe.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <span>
#include <sstream>
#include <string_view>

namespace redflag::cli {
namespace {

constexpr std::size_t kMostLibraries = 512;

// libredflag defines them; nothing else does. The second is gone from stripped programs.
constexpr std::string_view kRedflagSymbol = "__redflag_runtime";
constexpr std::string_view kRedflagInside = "_ZN7redflag2rt";
constexpr std::string_view kRedflagSection = "redflag_real";
// Of code compiled with --sampling (frontends/cpu/abi/abi.h).
constexpr std::string_view kSampledSection = "redflag_sampled";
constexpr std::string_view kInstrumentation = "__tsan_";
// What ThreadSanitizer's runtime has and libredflag has not.
constexpr std::string_view kTsanInside = "_ZN6__tsan";
constexpr std::string_view kTsanExport = "__sanitizer_cov_trace_cmp";

// Where CUDA programs and libraries keep their kernels; the second is of relocatable objects.
constexpr std::string_view kGpuSections[] = {".nv_fatbin", "__nv_relfatbin"};

class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status{};
    if (fd < 0 || ::fstat(fd, &status) != 0) {
      fault_ = std::strerror(errno);
    } else if (!S_ISREG(status.st_mode)) {
      fault_ = S_ISDIR(status.st_mode) ? "it is a folder" : "it is not a file";
    } else if (status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
      if (data_ == MAP_FAILED) {
        data_ = nullptr;
        size_ = 0;
        fault_ = std::strerror(errno);
      }
    }
    if (fd >= 0) ::close(fd);
  }
  ~MappedFile() {
    if (data_ != nullptr) ::munmap(data_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& fault() const { return fault_; }
  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
  std::string fault_;
};

// What the dynamic section says about where libraries are.
struct SearchPaths {
  std::vector<std::string> folders;
};

class ElfFile {
 public:
  ElfFile(std::string_view bytes, Probe& probe) : bytes_(bytes), probe_(probe) {}

  bool read(SearchPaths& paths) {
    Elf64_Ehdr header;
    if (!load(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
    probe_.kind = FileKind::kElf;
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_shentsize != sizeof(Elf64_Shdr)) {
      return true;
    }
    probe_.cut_off = header.e_shoff > bytes_.size() ||
                     bytes_.size() - header.e_shoff < header.e_shnum * sizeof(Elf64_Shdr);
    for (std::size_t i = 0; i < header.e_phnum; ++i) {
      Elf64_Phdr segment;
      const bool there = load(header.e_phoff + i * sizeof(segment), segment);
      probe_.cut_off |= !there || (segment.p_type == PT_LOAD &&
                                   (segment.p_offset > bytes_.size() ||
                                    bytes_.size() - segment.p_offset < segment.p_filesz));
    }
    std::vector<Elf64_Shdr> sections;
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr section;
      if (!load(header.e_shoff + i * sizeof(section), section)) break;
      sections.push_back(section);
      probe_.cut_off |= section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL &&
                        (section.sh_offset > bytes_.size() ||
                         bytes_.size() - section.sh_offset < section.sh_size);
    }
    probe_.is_static = true;
    const std::string_view names = header.e_shstrndx < sections.size()
                                       ? contents(sections[header.e_shstrndx])
                                       : std::string_view();
    for (const Elf64_Shdr& section : sections) {
      probe_.sampled |= string_at(names, section.sh_name) == kSampledSection;
      for (const std::string_view name : kGpuSections) {
        probe_.has_gpu_code |= string_at(names, section.sh_name) == name;
      }
      // All that is left in a program that was linked with -static and stripped.
      if (string_at(names, section.sh_name) == kRedflagSection) {
        probe_.has_redflag = probe_.instrumented = true;
      }
      if (section.sh_link >= sections.size()) continue;
      const std::string_view strings = contents(sections[section.sh_link]);
      if (section.sh_type == SHT_DYNSYM || section.sh_type == SHT_SYMTAB) symbols(section, strings);
      if (section.sh_type == SHT_DYNAMIC) dynamic(section, strings, paths);
    }
    return true;
  }

 private:
  template <typename T>
  bool load(std::uint64_t at, T& value) const {
    if (at > bytes_.size() || bytes_.size() - at < sizeof(T)) return false;
    std::memcpy(&value, bytes_.data() + at, sizeof(T));
    return true;
  }

  std::string_view contents(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes_.size()) return {};
    return bytes_.substr(section.sh_offset, section.sh_size);
  }

  static std::string_view string_at(std::string_view strings, std::uint64_t at) {
    if (at >= strings.size()) return {};
    strings.remove_prefix(at);
    return strings.substr(0, strings.find('\0'));
  }

  void symbols(const Elf64_Shdr& section, std::string_view strings) {
    const std::string_view table = contents(section);
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, table.data() + at, sizeof(symbol));
      const std::string_view name = string_at(strings, symbol.st_name);
      if (name.size() < kInstrumentation.size() || name[0] != '_') continue;
      probe_.instrumented |= name.starts_with(kInstrumentation);
      if (symbol.st_shndx == SHN_UNDEF) continue;
      probe_.has_redflag |= name == kRedflagSymbol || name.starts_with(kRedflagInside);
      probe_.has_tsan |= name.starts_with(kTsanInside) || name == kTsanExport;
    }
  }

  void dynamic(const Elf64_Shdr& section, std::string_view strings, SearchPaths& paths) {
    probe_.is_static = false;
    const std::string_view table = contents(section);
    for (std::size_t at = 0; at + sizeof(Elf64_Dyn) <= table.size(); at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry;
      std::memcpy(&entry, table.data() + at, sizeof(entry));
      if (entry.d_tag == DT_NULL) break;
      const std::string text(string_at(strings, entry.d_un.d_val));
      if (entry.d_tag == DT_NEEDED) {
        probe_.needed.push_back(text);
        probe_.has_redflag |= text.starts_with("libredflag.so");
        probe_.has_tsan |= text.starts_with("libtsan.so");
      } else if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH) {
        std::istringstream folders(text);
        for (std::string folder; std::getline(folders, folder, ':');) {
          paths.folders.push_back(folder);
        }
      }
    }
  }

  std::string_view bytes_;
  Probe& probe_;
};

Result<Probe> probe_with_paths(const std::string& path, SearchPaths& paths) {
  const MappedFile file(path);
  if (!file.fault().empty()) return fail(path + ": cannot be read: " + file.fault());
  Probe probe;
  const std::string_view bytes = file.bytes();
  if (ElfFile(bytes, probe).read(paths)) return probe;
  if (bytes.starts_with("#!")) {
    probe.kind = FileKind::kScript;
    std::istringstream line(std::string(bytes.substr(2, bytes.find('\n'))));
    line >> probe.interpreter;
  }
  return probe;
}

std::string with_origin(std::string folder, const std::string& origin) {
  for (const std::string_view name : {"${ORIGIN}", "$ORIGIN"}) {
    for (std::size_t at; (at = folder.find(name)) != std::string::npos;) {
      folder.replace(at, name.size(), origin);
    }
  }
  return folder;
}

// As the loader would, but for its cache: a library elsewhere is not looked into.
std::string find_library(const std::string& name, const std::vector<std::string>& folders) {
  if (name.find('/') != std::string::npos) return name;
  std::error_code fault;
  for (const std::string& folder : folders) {
    std::string path = folder + "/" + name;
    if (std::filesystem::exists(path, fault)) return path;
  }
  return {};
}

constexpr std::array kUsualFolders{"/usr/local/lib",
                                   "/lib/x86_64-linux-gnu",
                                   "/usr/lib/x86_64-linux-gnu",
                                   "/lib64",
                                   "/usr/lib64",
                                   "/lib",
                                   "/usr/lib"};

}  // namespace

Result<Probe> probe_file(const std::string& path) {
  SearchPaths paths;
  return probe_with_paths(path, paths);
}

Result<Probe> probe_program(const std::string& path) {
  SearchPaths paths;
  Result<Probe> program = probe_with_paths(path, paths);
  if (!program || program->kind != FileKind::kElf) return program;
  std::error_code fault;
  const std::string origin =
      std::filesystem::absolute(path, fault).parent_path().lexically_normal().string();
  std::vector<std::string> folders;
  for (const std::string& folder : paths.folders) folders.push_back(with_origin(folder, origin));
  if (const char* variable = std::getenv("LD_LIBRARY_PATH"); variable != nullptr) {
    std::istringstream list(variable);
    for (std::string folder; std::getline(list, folder, ':');) folders.push_back(folder);
  }
  folders.insert(folders.end(), kUsualFolders.begin(), kUsualFolders.end());

  std::vector<std::string> waiting = program->needed;
  std::set<std::string> seen;
  while (!waiting.empty() && seen.size() < kMostLibraries) {
    const std::string name = waiting.back();
    waiting.pop_back();
    if (!seen.insert(name).second) continue;
    const std::string file = find_library(name, folders);
    // Runtimes define what instrumented code calls: they are no instrumented code.
    if (file.empty() || name.starts_with("libtsan.so") || name.starts_with("libredflag.so")) {
      continue;
    }
    SearchPaths more;
    const Result<Probe> library = probe_with_paths(file, more);
    if (!library) continue;
    program->instrumented |= library->instrumented;
    if (library->instrumented) program->libraries.push_back(file);
    program->has_redflag |= library->has_redflag;
    program->has_tsan |= library->has_tsan;
    program->sampled |= library->sampled;
    program->has_gpu_code |= library->has_gpu_code;
    for (const std::string& folder : more.folders) {
      folders.push_back(with_origin(folder, std::filesystem::path(file).parent_path().string()));
    }
    waiting.insert(waiting.end(), library->needed.begin(), library->needed.end());
  }
  return program;
}

}  // namespace redflag::cli
