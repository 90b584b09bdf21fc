#include "frontends/cuda/inject/wrapper.h"

#include <algorithm>
#include <charconv>

#include "frontends/cuda/fatbin/container.h"

namespace redflag::inject {
namespace {

constexpr std::string_view kElfMagic = "\177ELF";
constexpr std::uint32_t kFixed = 64;         // of an entry's header
constexpr std::uint64_t kFlags = 0x11;       // 64 bits, Linux
constexpr std::uint32_t kElfKind = 0x10007;  // the version of the ELF file's format

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// The number behind a word of the text.
std::uint32_t number_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(at + word.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint32_t number = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// ".version 8.5" is 8 in the upper half and 5 in the lower.
std::uint32_t version_of(std::string_view ptx) {
  const std::uint32_t major = number_behind(ptx, ".version");
  return major << 16 | number_behind(ptx, std::to_string(major) + ".");
}

}  // namespace

std::string container_of(std::string_view image, std::uint32_t sm) {
  const bool is_ptx = !image.starts_with(kElfMagic);
  const std::uint32_t options = is_ptx ? 16 : 0;  // behind the header: where they are, and none
  std::string payload(image);
  if (is_ptx) payload += '\0';
  payload.resize((payload.size() + 7) / 8 * 8, '\0');
  std::string out;
  put<std::uint32_t>(out, fatbin::kContainerMagic);
  put<std::uint16_t>(out, 1);
  put<std::uint16_t>(out, 16);
  put<std::uint64_t>(out, kFixed + options + payload.size());
  put(out, static_cast<std::uint16_t>(is_ptx ? fatbin::Kind::kPtx : fatbin::Kind::kElf));
  put<std::uint16_t>(out, 0x101);
  put<std::uint32_t>(out, kFixed + options);
  put<std::uint64_t>(out, payload.size());
  put<std::uint32_t>(out, 0);  // not compressed
  put<std::uint32_t>(out, is_ptx ? kFixed : 0);
  put<std::uint32_t>(out, is_ptx ? version_of(image) : kElfKind);
  put<std::uint32_t>(out, is_ptx ? number_behind(image, ".target sm_") : sm);
  put<std::uint64_t>(out, 0);  // no name
  put<std::uint64_t>(out, kFlags);
  put<std::uint64_t>(out, 0);
  put<std::uint64_t>(out, 0);
  if (is_ptx) {
    put<std::uint32_t>(out, kFixed + options / 2);
    put<std::uint32_t>(out, 0);
    put<std::uint64_t>(out, 0);
  }
  return out + payload;
}

Wrapper wrapper_of(const std::string& container) {
  return {fatbin::kWrapperMagic, 1, container.data(), nullptr};
}

}  // namespace redflag::inject
