#include "frontends/cuda/inject/registered.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <utility>

#include "frontends/cuda/fatbin/container.h"

namespace redflag::inject {
namespace {

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

std::string container_of(std::string_view ptx) {
  constexpr std::uint32_t kFixed = 64;    // of an entry's header
  constexpr std::uint32_t kOptions = 16;  // behind it: where they are, that there are none
  constexpr std::uint64_t kFlags = 0x11;  // 64 bits, Linux
  std::string payload(ptx);
  payload.resize((payload.size() + 8) / 8 * 8, '\0');  // ends in a zero byte
  std::string out;
  put<std::uint32_t>(out, fatbin::kContainerMagic);
  put<std::uint16_t>(out, 1);
  put<std::uint16_t>(out, 16);
  put<std::uint64_t>(out, kFixed + kOptions + payload.size());
  put(out, static_cast<std::uint16_t>(fatbin::Kind::kPtx));
  put<std::uint16_t>(out, 0x101);
  put<std::uint32_t>(out, kFixed + kOptions);
  put<std::uint64_t>(out, payload.size());
  put<std::uint32_t>(out, 0);  // not compressed
  put<std::uint32_t>(out, kFixed);
  put<std::uint32_t>(out, version_of(ptx));
  put<std::uint32_t>(out, number_behind(ptx, ".target sm_"));
  put<std::uint64_t>(out, 0);  // no name
  put<std::uint64_t>(out, kFlags);
  put<std::uint64_t>(out, 0);
  put<std::uint64_t>(out, 0);
  put<std::uint32_t>(out, kFixed + kOptions / 2);
  put<std::uint32_t>(out, 0);
  put<std::uint64_t>(out, 0);
  return out + payload;
}

std::string mark_of(std::size_t number) {
  return "redflag_binary_" + std::to_string(number);
}

Registered::Binary& Registered::add(const void* wrapper) {
  auto made = std::make_unique<Binary>();
  made->original = wrapper;
  std::memcpy(&made->own, wrapper, offsetof(Wrapper, objects));
  if (made->own.version >= 2) std::memcpy(&made->own, wrapper, sizeof(made->own));
  binaries_.push_back(std::move(made));
  return *binaries_.back();
}

void Registered::replace(Binary& binary, std::size_t number, std::shared_ptr<const Code> code) {
  binary.container =
      container_of(code->ptx + "\n.visible .global .align 4 .u32 " + mark_of(number) + ";\n");
  binary.code = std::move(code);
  binary.own.version = 1;
  binary.own.objects = nullptr;
  binary.own.data = binary.container.data();
}

}  // namespace redflag::inject
