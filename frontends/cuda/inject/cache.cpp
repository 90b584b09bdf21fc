#include "frontends/cuda/inject/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

namespace redflag::inject {
namespace {

namespace fs = std::filesystem;

constexpr char kSuffix[] = ".rfc";
constexpr char kUnfinished[] = ".part";
constexpr auto kForgotten = std::chrono::hours(1);  // an unfinished file whose writer is gone

// Two sums of 64 bits with different multipliers: against chance, not against an enemy, who could
// write the files themselves.
struct Hash {
  std::uint64_t a = 0x9e3779b97f4a7c15, b = 0xc2b2ae3d27d4eb4f;

  void add(std::uint64_t word) {
    a = std::rotl(a ^ word, 29) * 0xff51afd7ed558ccd;
    b = (std::rotl(b, 31) + word) * 0x94d049bb133111eb;
    b ^= b >> 29;
  }
  void add(std::string_view bytes) {
    add(bytes.size());
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), 8);
      add(word);
    }
    std::uint64_t rest = 0;
    if (!bytes.empty()) std::memcpy(&rest, bytes.data(), bytes.size());
    add(rest);
  }
  std::uint64_t low() const { return a ^ a >> 32; }
};

std::string hex(std::uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4) text[i] = kDigits[value & 15];
  return text;
}

std::string checksum(std::string_view bytes) {
  Hash hash;
  hash.add(bytes);
  return hex(hash.low());
}

}  // namespace

std::string cache_key(std::initializer_list<std::string_view> parts) {
  Hash hash;
  for (const std::string_view part : parts) hash.add(part);
  return hex(hash.low()) + hex(hash.b ^ hash.b >> 32);
}

Cache::Cache(std::string folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) {
  std::error_code fault;
  if (!folder_.empty()) fs::create_directories(folder_, fault);
}

std::string Cache::usual_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return std::string(cache) + "/redflag";
  }
  const char* home = std::getenv("HOME");
  return home == nullptr || *home != '/' ? std::string() : std::string(home) + "/.cache/redflag";
}

std::optional<std::string> Cache::get(const std::string& name) const {
  if (folder_.empty()) return std::nullopt;
  const std::string path = folder_ + "/" + name + kSuffix;
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return std::nullopt;
  const auto size = static_cast<std::size_t>(in.tellg());
  if (size < 16) return std::nullopt;
  std::string bytes(size, '\0');
  in.seekg(0);
  if (!in.read(bytes.data(), static_cast<std::streamsize>(size))) return std::nullopt;
  const std::string sum = bytes.substr(size - 16);
  bytes.resize(size - 16);
  if (checksum(bytes) != sum) return std::nullopt;
  // When it was last used, for make_room().
  (void)::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return bytes;
}

void Cache::put(const std::string& name, std::string_view bytes) const {
  if (folder_.empty() || bytes.size() > limit_ / 4) return;
  static std::atomic<unsigned> number{0};
  const std::string path = folder_ + "/" + name + kSuffix;
  const std::string unfinished = path + "." + std::to_string(::getpid()) + "." +
                                 std::to_string(number.fetch_add(1)) + kUnfinished;
  std::error_code fault;
  {
    std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
    out << bytes << checksum(bytes);
    if (!out.flush()) {
      fs::remove(unfinished, fault);
      return;
    }
  }
  fs::rename(unfinished, path, fault);
  if (fault) fs::remove(unfinished, fault);
  make_room();
}

void Cache::make_room() const {
  struct File {
    fs::file_time_type used;
    std::uint64_t size;
    fs::path path;
  };
  std::vector<File> files;
  std::uint64_t total = 0;
  std::error_code fault;
  const auto now = fs::file_time_type::clock::now();
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, fault)) {
    std::error_code gone;
    const File file{entry.last_write_time(gone), entry.file_size(gone), entry.path()};
    if (gone) continue;
    if (file.path.extension() == kUnfinished && now - file.used > kForgotten) {
      fs::remove(file.path, gone);
    } else if (file.path.extension() == kSuffix) {
      total += file.size;
      files.push_back(file);
    }
  }
  if (total <= limit_) return;
  std::sort(files.begin(), files.end(),
            [](const File& x, const File& y) { return x.used < y.used; });
  // A quarter more than needed: not at every file again.
  for (const File& file : files) {
    if (total <= limit_ / 4 * 3) break;
    if (fs::remove(file.path, fault)) total -= file.size;
  }
}

}  // namespace redflag::inject
