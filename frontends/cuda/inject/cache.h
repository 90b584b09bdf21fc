// Cache: rewritten modules and their machine code on disk, so that a program's second run starts fast.
//
// Files are named by a hash of all that they were made from. They are written under another name and
// renamed, so that processes which start together see whole files or none; a checksum at the end finds
// those that a crash of the machine left half written. What does not work is no error: the module is
// then made again. When all files together grow over a limit, those that were not used for longest go.
//
// Any number of threads and processes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace redflag::inject {

inline constexpr std::uint64_t kCacheLimit = std::uint64_t{2} << 30;

// 32 hexadecimal digits; the parts' borders count.
std::string cache_key(std::initializer_list<std::string_view> parts);

class Cache {
 public:
  // An empty folder: nothing is kept.
  explicit Cache(std::string folder, std::uint64_t limit = kCacheLimit);

  // $XDG_CACHE_HOME/redflag or ~/.cache/redflag; empty where there is neither.
  static std::string usual_folder();

  std::optional<std::string> get(const std::string& name) const;
  void put(const std::string& name, std::string_view bytes) const;

 private:
  void make_room() const;

  std::string folder_;
  std::uint64_t limit_;
};

}  // namespace redflag::inject
