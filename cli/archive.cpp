#include "cli/archive.h"

#include <algorithm>
#include <charconv>

#include "core/base/output_file.h"

namespace redflag::cli {
namespace {

constexpr std::string_view kMagic = "!<arch>\n";
constexpr std::size_t kHeaderBytes = 60;
constexpr std::size_t kNameBytes = 16;
constexpr std::size_t kSizeAt = 48;
constexpr std::size_t kSizeBytes = 10;
constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

std::size_t number(std::string_view digits) {
  std::size_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

}  // namespace

std::string_view Archive::member(std::uint32_t at) const {
  const std::string_view all(bytes);
  if (at > all.size() || all.size() - at < kHeaderBytes) return {};
  return all.substr(at + kHeaderBytes, number(all.substr(at + kSizeAt, kSizeBytes)));
}

std::string Archive::member_name(std::uint32_t at) const {
  if (at > bytes.size() || bytes.size() - at < kHeaderBytes) return {};
  std::string_view name = std::string_view(bytes).substr(at, kNameBytes);
  if (name.size() > 1 && name[0] == '/' && name[1] >= '0' && name[1] <= '9') {
    const std::size_t place = number(name.substr(1));
    name = place < names.size() ? names.substr(place) : std::string_view();
  }
  return std::string(name.substr(0, name.find('/')));
}

Result<Archive> read_archive(const std::string& path) {
  Result<std::string> bytes = read_file(path, kMaxBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  Archive archive;
  archive.bytes = std::move(*bytes);
  const std::string_view all(archive.bytes);
  const bool has_index = all.starts_with(kMagic) && all.size() > kMagic.size() + kHeaderBytes &&
                         all.substr(kMagic.size()).starts_with("/ ");
  const std::string_view index =
      has_index ? archive.member(static_cast<std::uint32_t>(kMagic.size())) : std::string_view();
  const std::size_t count = index.size() < 4 ? 0 : big_endian(index, 0);
  if (index.size() < 4 || (index.size() - 4) / 4 < count) {
    return fail(path + ": needed: a static library with an index of its symbols\nfound: " +
                (has_index ? "an index that is cut short" : "none") + "\nto mend it: ranlib " +
                path);
  }
  std::string_view text = index.substr(4 + 4 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    archive.defined.emplace(text.substr(0, end), big_endian(index, 4 + 4 * i));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  // The index is followed by the long names, where there are any; members begin at even places.
  const std::size_t next = kMagic.size() + kHeaderBytes + index.size() + index.size() % 2;
  if (all.substr(std::min(next, all.size())).starts_with("// ")) {
    archive.names = archive.member(static_cast<std::uint32_t>(next));
  }
  return archive;
}

}  // namespace redflag::cli
