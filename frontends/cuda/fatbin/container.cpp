#include "frontends/cuda/fatbin/container.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "frontends/cuda/fatbin/damaged.h"
#include "frontends/cuda/fatbin/layout.h"
#include "frontends/cuda/fatbin/lz4.h"

namespace redflag::fatbin {
namespace {

struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const void* data;
};

constexpr std::uint64_t kFlagLz4 = 0x2000;
constexpr std::uint64_t kFlagZstd = 0x8000;
constexpr std::uint64_t kMostUnpacked = std::uint64_t{1} << 32;
constexpr std::uint64_t kLz4Ratio = 255;  // no LZ4 block expands more

template <typename T>
T read(std::span<const std::byte> bytes, std::uint64_t at) {
  T out;
  std::memcpy(&out, bytes.data() + at, sizeof(T));
  return out;
}

// Options follow the fixed header: a place and a length, then the text.
std::string options_of(std::span<const std::byte> header, const EntryHeader& fixed) {
  if (fixed.options_offset == 0 || fixed.options_offset > header.size() ||
      header.size() - fixed.options_offset < 8) {
    return {};
  }
  const auto at = read<std::uint32_t>(header, fixed.options_offset);
  const auto length = read<std::uint32_t>(header, fixed.options_offset + 4);
  if (at > header.size() || length > header.size() - at) return {};
  std::string text(reinterpret_cast<const char*>(header.data()) + at, length);
  text.resize(std::min(text.find('\0'), text.size()));
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

// The entries of one container; `bytes` is what stands behind its header.
Result<void> read_entries(std::span<const std::byte> bytes, std::uint64_t place,
                          const std::string& file, std::uint32_t container,
                          std::vector<Entry>& out) {
  for (std::uint64_t at = 0; at < bytes.size();) {
    const std::uint64_t left = bytes.size() - at;
    if (left < sizeof(EntryHeader)) {
      return damaged(
          file, place + at,
          "the header of an entry needs 64 bytes, " + std::to_string(left) + " are left");
    }
    const auto header = read<EntryHeader>(bytes, at);
    if (header.header_bytes < sizeof(EntryHeader) || header.header_bytes > left ||
        header.payload_bytes > left - header.header_bytes) {
      return damaged(file, place + at,
                     "an entry needs " + std::to_string(header.header_bytes) + " + " +
                         std::to_string(header.payload_bytes) + " bytes, " + std::to_string(left) +
                         " are left");
    }
    Entry entry;
    entry.kind = static_cast<Kind>(header.kind);
    entry.packing = (header.flags & kFlagZstd) != 0  ? Packing::kZstd
                    : (header.flags & kFlagLz4) != 0 ? Packing::kLz4
                                                     : Packing::kNone;
    entry.sm = header.sm;
    entry.flags = header.flags;
    entry.place = place + at;
    entry.container = container;
    entry.file = file;
    entry.options = options_of(bytes.subspan(at, header.header_bytes), header);
    entry.payload = bytes.subspan(at + header.header_bytes, header.payload_bytes);
    entry.unpacked = header.payload_bytes;
    if (entry.packing != Packing::kNone) {
      if (header.packed_bytes > header.payload_bytes) {
        return damaged(file, place + at,
                       "the compressed data of an entry is larger than the entry");
      }
      entry.payload = entry.payload.first(header.packed_bytes);
      entry.unpacked = header.unpacked_bytes;
    }
    out.push_back(std::move(entry));
    at += header.header_bytes + header.payload_bytes;
  }
  return {};
}

// The size of a frame may be a lie: memory grows with what comes out.
Result<std::string> unpack_zstd(std::span<const std::byte> data, std::uint64_t size) {
  const std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(),
                                                                             ZSTD_freeDStream);
  if (stream == nullptr) return fail("not enough memory for the zstd decoder");
  std::string out;
  ZSTD_inBuffer in{data.data(), data.size(), 0};
  for (;;) {
    const std::size_t old = out.size();
    out.resize(old + std::min<std::uint64_t>(size - old, std::uint64_t{1} << 20));
    ZSTD_outBuffer to{out.data(), out.size(), old};
    const std::size_t left = ZSTD_decompressStream(stream.get(), &to, &in);
    if (ZSTD_isError(left) != 0) return fail(std::string("zstd: ") + ZSTD_getErrorName(left));
    out.resize(to.pos);
    if (left == 0) break;
    if (to.pos == size) return fail("zstd: more data than the header states");
    if (to.pos == old && in.pos == in.size) return fail("zstd: the data ends too early");
  }
  if (out.size() != size) return fail("zstd: less data than the header states");
  return out;
}

Result<std::string> unpack_lz4(std::span<const std::byte> data, std::uint64_t size) {
  if (size / kLz4Ratio > data.size()) {
    return fail("LZ4: " + std::to_string(data.size()) + " bytes cannot unpack to " +
                std::to_string(size));
  }
  std::string out(size, '\0');
  if (Result<void> done = decode_lz4(data, std::span<char>(out)); !done)
    return Failure(done.error());
  return out;
}

}  // namespace

Result<std::vector<Entry>> read_containers(std::span<const std::byte> bytes, std::uint64_t place,
                                           const std::string& file, std::uint32_t first) {
  std::vector<Entry> entries;
  for (std::uint64_t at = 0; bytes.size() - at >= sizeof(ContainerHeader);) {
    const auto header = read<ContainerHeader>(bytes, at);
    if (header.magic == 0) {
      at += 4;
      continue;
    }
    if (header.magic != kContainerMagic) {
      return damaged(file, place + at, "expected a fat binary (50 ed 55 ba), found other bytes");
    }
    const std::uint64_t left = bytes.size() - at;
    if (header.header_bytes < sizeof(ContainerHeader) || header.header_bytes > left ||
        header.bytes > left - header.header_bytes) {
      return damaged(file, place + at,
                     "a fat binary needs " + std::to_string(header.bytes) + " bytes, " +
                         std::to_string(left) + " are left");
    }
    const std::span<const std::byte> inside = bytes.subspan(at + header.header_bytes, header.bytes);
    const Result<void> done =
        read_entries(inside, place + at + header.header_bytes, file, first++, entries);
    if (!done) return Failure(done.error());
    at += header.header_bytes + header.bytes;
  }
  return entries;
}

Result<std::vector<Entry>> read_memory(const void* wrapper) {
  if (wrapper == nullptr) return fail("expected a fat binary, found a null pointer");
  const void* data = wrapper;
  std::uint32_t magic = 0;
  std::memcpy(&magic, wrapper, sizeof(magic));
  if (magic == kWrapperMagic) {
    Wrapper outer;
    std::memcpy(&outer, wrapper, sizeof(outer));
    if (outer.data == nullptr) return fail("expected a fat binary, found a wrapper without data");
    data = outer.data;
    std::memcpy(&magic, data, sizeof(magic));
  }
  if (magic != kContainerMagic) {
    return fail("expected a fat binary, found data that begins with " + std::to_string(magic) +
                "; the program was built by a compiler that Redflag does not support");
  }
  ContainerHeader header;
  std::memcpy(&header, data, sizeof(header));
  const std::uint64_t bytes = header.header_bytes + header.bytes;
  return read_containers({static_cast<const std::byte*>(data), bytes}, 0, "fat binary in memory");
}

std::vector<const Entry*> choose_ptx(const std::vector<Entry>& entries, std::uint32_t sm) {
  std::vector<const Entry*> chosen;
  for (const Entry& entry : entries) {
    if (entry.kind != Kind::kPtx || entry.sm > sm) continue;
    const auto same = std::find_if(chosen.begin(), chosen.end(), [&](const Entry* other) {
      return other->container == entry.container;
    });
    if (same == chosen.end()) {
      chosen.push_back(&entry);
    } else if (entry.sm > (*same)->sm) {
      *same = &entry;
    }
  }
  return chosen;
}

Result<std::string> unpack(const Entry& entry) {
  Result<std::string> out = std::string();
  if (entry.unpacked > kMostUnpacked) {
    out = fail("it unpacks to " + std::to_string(entry.unpacked) +
               " bytes; at most 4 GiB are supported");
  } else if (entry.packing == Packing::kZstd) {
    out = unpack_zstd(entry.payload, entry.unpacked);
  } else if (entry.packing == Packing::kLz4) {
    out = unpack_lz4(entry.payload, entry.unpacked);
  } else {
    out->assign(reinterpret_cast<const char*>(entry.payload.data()), entry.payload.size());
  }
  if (!out) return damaged(entry.file, entry.place, out.error().message);
  if (entry.kind == Kind::kPtx) {
    while (!out->empty() && out->back() == '\0') out->pop_back();
  }
  return out;
}

}  // namespace redflag::fatbin
