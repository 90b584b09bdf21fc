#include "frontends/cuda/fatbin/writer.h"

#include "frontends/cuda/fatbin/container.h"
#include "frontends/cuda/fatbin/layout.h"

namespace redflag::fatbin {
namespace {

constexpr std::uint16_t kContainerVersion = 1;
constexpr std::uint16_t kEntryVersion = 0x101;
constexpr std::uint64_t kFlag64Bit = 0x1;
constexpr std::uint64_t kFlagLinux = 0x10;

template <typename T>
void append(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

std::string write_container(std::string_view ptx, std::uint32_t sm) {
  // A zero byte ends the text, others pad it.
  const std::uint64_t payload = (ptx.size() + 1 + 7) / 8 * 8;
  const EntryHeader entry{.kind = static_cast<std::uint16_t>(Kind::kPtx),
                          .version = kEntryVersion,
                          .header_bytes = sizeof(EntryHeader),
                          .payload_bytes = payload,
                          .packed_bytes = 0,
                          .options_offset = 0,
                          .unknown = 0,
                          .sm = sm,
                          .name_offset = 0,
                          .name_bytes = 0,
                          .flags = kFlag64Bit | kFlagLinux,
                          .unknown2 = 0,
                          .unpacked_bytes = 0};
  const ContainerHeader header{.magic = kContainerMagic,
                               .version = kContainerVersion,
                               .header_bytes = sizeof(ContainerHeader),
                               .bytes = sizeof(EntryHeader) + payload};
  std::string made;
  made.reserve(sizeof(header) + header.bytes);
  append(made, header);
  append(made, entry);
  made.append(ptx);
  made.append(payload - ptx.size(), '\0');
  return made;
}

}  // namespace redflag::fatbin
