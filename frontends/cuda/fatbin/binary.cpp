#include "frontends/cuda/fatbin/binary.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "core/base/output_file.h"
#include "frontends/cuda/fatbin/damaged.h"

namespace redflag::fatbin {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 34;
constexpr std::uint16_t kMachineCuda = 190;  // EM_CUDA
constexpr std::string_view kArchiveMagic = "!<arch>\n";
constexpr std::string_view kRelocatable = "__nv_relfatbin";
constexpr std::string_view kSections[] = {".nv_fatbin", kRelocatable};

using Bytes = std::span<const std::byte>;

template <typename T>
bool read(Bytes bytes, std::uint64_t at, T& out) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return false;
  std::memcpy(&out, bytes.data() + at, sizeof(T));
  return true;
}

Result<void> add(Binary& binary, Bytes bytes, std::uint64_t place) {
  const std::uint32_t next = binary.entries.empty() ? 0 : binary.entries.back().container + 1;
  Result<std::vector<Entry>> found = read_containers(bytes, place, binary.path, next);
  if (!found) return Failure(found.error());
  std::move(found->begin(), found->end(), std::back_inserter(binary.entries));
  return {};
}

// For files without section headers: containers are aligned to 8 bytes and say their size.
Result<void> search(Binary& binary, Bytes bytes, std::uint64_t place) {
  for (std::uint64_t at = 0; at + 16 <= bytes.size();) {
    std::uint32_t magic = 0;
    std::uint16_t header_bytes = 0;
    std::uint64_t size = 0;
    std::memcpy(&magic, bytes.data() + at, sizeof(magic));
    if (magic != kContainerMagic) {
      at += 8;
      continue;
    }
    std::memcpy(&header_bytes, bytes.data() + at + 6, sizeof(header_bytes));
    std::memcpy(&size, bytes.data() + at + 8, sizeof(size));
    const std::uint64_t left = bytes.size() - at;
    if (header_bytes < 16 || size > left || header_bytes > left - size) {
      at += 8;  // the same four bytes in something else, such as our own code
      continue;
    }
    if (Result<void> done = add(binary, bytes.subspan(at, header_bytes + size), place + at);
        !done) {
      return done;
    }
    at += (header_bytes + size + 7) / 8 * 8;
  }
  return {};
}

Result<void> read_elf(Binary& binary, Bytes bytes, std::uint64_t place) {
  Elf64_Ehdr header;
  if (!read(bytes, 0, header)) return damaged(binary.path, place, "the ELF header is incomplete");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return fail(
        binary.path +
        ": expected a 64-bit little-endian ELF file, found another kind; CUDA supports no other");
  }
  if (header.e_machine == kMachineCuda) return {};
  if (header.e_shoff == 0) return search(binary, bytes, place);
  Elf64_Shdr section;
  const auto header_at = [&header](std::uint64_t i) {
    return header.e_shoff + i * sizeof(Elf64_Shdr);
  };
  if (header.e_shentsize != sizeof(Elf64_Shdr) || !read(bytes, header.e_shoff, section)) {
    return damaged(binary.path, place + header.e_shoff, "the section headers are missing");
  }
  // Files with very many sections keep the two numbers in the first one.
  const std::uint64_t count = header.e_shnum != 0 ? header.e_shnum : section.sh_size;
  const std::uint64_t names_index =
      header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx : section.sh_link;
  Elf64_Shdr names;
  if (count > bytes.size() / sizeof(Elf64_Shdr) || names_index >= count ||
      !read(bytes, header_at(names_index), names) || names.sh_offset > bytes.size()) {
    return damaged(binary.path, place + header.e_shoff, "the section headers are missing");
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!read(bytes, header_at(i), section)) {
      return damaged(binary.path, place + header_at(i), "a section header is missing");
    }
    const std::uint64_t name_at = names.sh_offset + section.sh_name;
    const auto named = [&](std::string_view name) {
      return name_at < bytes.size() && bytes.size() - name_at > name.size() &&
             std::memcmp(bytes.data() + name_at, name.data(), name.size()) == 0 &&
             bytes[name_at + name.size()] == std::byte{0};
    };
    if (section.sh_type == SHT_NOBITS ||
        !std::any_of(std::begin(kSections), std::end(kSections), named)) {
      continue;
    }
    if (section.sh_offset > bytes.size() || section.sh_size > bytes.size() - section.sh_offset) {
      return damaged(binary.path, place + header_at(i),
                     "the section with GPU code extends past the end of the file");
    }
    const Bytes inside = bytes.subspan(section.sh_offset, section.sh_size);
    const std::size_t before = binary.entries.size();
    if (Result<void> done = add(binary, inside, place + section.sh_offset); !done) return done;
    for (std::size_t j = before; j < binary.entries.size(); ++j) {
      binary.entries[j].relocatable = named(kRelocatable);
    }
  }
  return {};
}

bool begins(Bytes bytes, std::string_view with) {
  return bytes.size() >= with.size() && std::memcmp(bytes.data(), with.data(), with.size()) == 0;
}

// ar(5): a header of 60 bytes before each member, with its size in decimal.
Result<void> read_archive(Binary& binary, Bytes bytes) {
  for (std::uint64_t at = kArchiveMagic.size(); at < bytes.size();) {
    if (bytes.size() - at < 60)
      return damaged(binary.path, at, "the header of an archive member is incomplete");
    std::uint64_t size = 0;
    for (std::uint64_t i = at + 48; i < at + 58; ++i) {
      const auto c = static_cast<char>(bytes[i]);
      if (c >= '0' && c <= '9') size = size * 10 + static_cast<std::uint64_t>(c - '0');
    }
    at += 60;
    if (size > bytes.size() - at) {
      return damaged(binary.path, at, "an archive member extends past the end of the file");
    }
    const Bytes member = bytes.subspan(at, size);
    if (begins(member, ELFMAG)) {
      if (Result<void> done = read_elf(binary, member, at); !done) return done;
    }
    at += (size + 1) / 2 * 2;
  }
  return {};
}

// PTX begins with a directive or a comment; anything else that is text is refused by the parser.
bool looks_like_ptx(std::string_view text) {
  const std::string_view start = text.substr(0, 65536);
  const std::size_t at = start.find(".version");
  return at != std::string_view::npos && start.substr(0, at).find('\0') == std::string_view::npos;
}

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::kPtx:
      return "PTX";
    case Kind::kElf:
      return "machine code";
    case Kind::kLto:
      return "link-time IR";
  }
  return "unknown entry";
}

std::string_view packing_name(Packing packing) {
  return packing == Packing::kZstd ? "zstd" : packing == Packing::kLz4 ? "LZ4" : "not packed";
}

std::string without_ptx(const Binary& binary) {
  std::set<std::uint32_t> targets;
  for (const Entry& entry : binary.entries) {
    if (entry.kind == Kind::kElf) targets.insert(entry.sm);
  }
  if (binary.kind == FileKind::kCubin) {
    return binary.path +
           ": holds no PTX: it is a cubin, machine code for one GPU\n"
           "compile with nvcc -ptx, or -fatbin with -gencode arch=compute_80,code=compute_80, "
           "instead "
           "of -cubin";
  }
  if (binary.entries.empty()) {
    return binary.path +
           ": holds no GPU code\nif it is a CUDA program, its kernels may be in a shared library: "
           "try that, or build with nvcc";
  }
  std::string text = binary.path + ": holds no PTX, only machine code for";
  const char* between = " ";
  for (const std::uint32_t sm : targets) {
    text += between + ("sm_" + std::to_string(sm));
    between = ", ";
  }
  if (targets.empty()) text += " no GPU";
  const std::string sm = std::to_string(targets.empty() ? 80 : *targets.rbegin());
  return text + "\nbuild it with nvcc -gencode arch=compute_" + sm + ",code=compute_" + sm +
         " added to the other -gencode flags, or with -arch=sm_" + sm + " alone";
}

}  // namespace

Result<Binary> open_binary(const std::string& path) {
  Result<std::string> bytes = read_file(path, kMostBytes);
  if (!bytes) return Failure(bytes.error());
  return parse_binary(path, std::move(*bytes));
}

Result<Binary> parse_binary(std::string path, std::string text) {
  Binary binary;
  binary.path = std::move(path);
  binary.bytes = std::make_unique<const std::string>(std::move(text));
  const Bytes bytes = std::as_bytes(std::span<const char>(*binary.bytes));
  std::uint32_t magic = 0;
  read(bytes, 0, magic);
  Result<void> done;
  Elf64_Ehdr header;
  if (magic == kContainerMagic) {
    binary.kind = FileKind::kFatbin;
    done = add(binary, bytes, 0);
  } else if (begins(bytes, ELFMAG)) {
    const bool cubin = read(bytes, 0, header) && header.e_machine == kMachineCuda;
    binary.kind = cubin ? FileKind::kCubin : FileKind::kElf;
    done = read_elf(binary, bytes, 0);
  } else if (begins(bytes, kArchiveMagic)) {
    binary.kind = FileKind::kArchive;
    done = read_archive(binary, bytes);
  } else if (looks_like_ptx(*binary.bytes)) {
    binary.kind = FileKind::kPtx;
  } else {
    return fail(binary.path +
                ": expected a program, library, object, archive, fat binary or PTX text, found "
                "none of them\nif the file is incomplete, build or copy it again");
  }
  if (!done) return Failure(done.error());
  return binary;
}

Result<std::vector<PtxText>> ptx_of(const Binary& binary) {
  std::vector<PtxText> texts;
  if (binary.kind == FileKind::kPtx) {
    texts.push_back({binary.path, 0, *binary.bytes});
    return texts;
  }
  for (const Entry& entry : binary.entries) {
    if (entry.kind != Kind::kPtx) continue;
    Result<std::string> text = unpack(entry);
    if (!text) return Failure(text.error());
    texts.push_back({binary.path + "(" + std::to_string(entry.container) + ",compute_" +
                         std::to_string(entry.sm) + ")",
                     entry.sm, std::move(*text)});
  }
  if (texts.empty()) return fail(without_ptx(binary));
  return texts;
}

std::string describe(const Binary& binary) {
  std::string text;
  for (const Entry& entry : binary.entries) {
    text += "container " + std::to_string(entry.container) + ": " +
            std::string(kind_name(entry.kind)) + " for sm_" + std::to_string(entry.sm) + ", " +
            std::string(packing_name(entry.packing)) + ", " + std::to_string(entry.unpacked) +
            " bytes";
    if (!entry.options.empty()) text += ", " + entry.options;
    text += "\n";
  }
  return text;
}

}  // namespace redflag::fatbin
