#include "frontends/cuda/inject/image.h"

#include <cctype>
#include <cstring>
#include <set>
#include <vector>

#include "frontends/cuda/fatbin/container.h"

namespace redflag::inject {
namespace {

constexpr char kElfMagic[] = "\177ELF";
constexpr const char* kAddPtx = "; nvcc adds PTX with -gencode arch=compute_80,code=compute_80";

bool is_text(const char* bytes) {
  const char* at = bytes;
  while (std::isspace(static_cast<unsigned char>(*at)) != 0) ++at;
  return *at == '.' || *at == '/';
}

std::string only(const std::vector<fatbin::Entry>& entries) {
  std::set<std::uint32_t> code;
  for (const fatbin::Entry& entry : entries) {
    if (entry.kind == fatbin::Kind::kElf) code.insert(entry.sm);
  }
  std::string found;
  for (const std::uint32_t sm : code) {
    found += (found.empty() ? "machine code for sm_" : ", sm_") + std::to_string(sm);
  }
  return found.empty() ? found : found + " only, ";
}

}  // namespace

Result<std::string> ptx_of_image(const void* image, std::uint32_t sm) {
  const auto* const bytes = static_cast<const char*>(image);
  std::uint32_t magic = 0;
  std::memcpy(&magic, bytes, is_text(bytes) ? 0 : sizeof(magic));
  if (magic == 0) return std::string(bytes);
  if (std::memcmp(bytes, kElfMagic, 4) == 0) {
    return fail(std::string("machine code only, no PTX") + kAddPtx);
  }
  if (magic != fatbin::kWrapperMagic && magic != fatbin::kContainerMagic) {
    return fail("the format of its image is unknown");
  }
  const Result<std::vector<fatbin::Entry>> entries = fatbin::read_memory(image);
  if (!entries) return Failure(entries.error());
  const fatbin::Entry* best = nullptr;
  for (const fatbin::Entry& entry : *entries) {
    if (entry.kind != fatbin::Kind::kPtx || entry.sm > sm) continue;
    if (best == nullptr || entry.sm > best->sm) best = &entry;
  }
  if (best == nullptr) {
    return fail(only(*entries) + "no PTX that sm_" + std::to_string(sm) + " can run" + kAddPtx);
  }
  return fatbin::unpack(*best);
}

}  // namespace redflag::inject
