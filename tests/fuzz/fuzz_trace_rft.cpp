// Fuzzes the reader of .rft traces. The checksums of the input are made right first, so that the
// fuzzer reaches what is behind them: block headers, decompression, definitions, the event decoder.
#include <cstring>

#include "core/trace/format.h"
#include "tests/fuzz/fuzz_trace_drive.h"

namespace redflag {
namespace {

void mend_checksums(std::string& bytes) {
  rft::FileHeader file{};
  if (bytes.size() < sizeof(file)) return;
  std::memcpy(&file, bytes.data(), sizeof(file));
  file.check = rft::file_header_check(file);
  std::memcpy(bytes.data(), &file, sizeof(file));
  for (std::size_t at = sizeof(file); bytes.size() - at >= sizeof(rft::BlockHeader);) {
    rft::BlockHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof(header));
    const std::size_t payload = at + sizeof(header);
    if (header.stored_bytes > bytes.size() - payload) return;
    header.checksum = rft::block_checksum(header, bytes.data() + payload, at);
    std::memcpy(bytes.data() + at, &header, sizeof(header));
    at = payload + header.stored_bytes;
  }
}

}  // namespace
}  // namespace redflag

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  redflag::mend_checksums(bytes);
  redflag::fuzz::drive(bytes);
  return 0;
}
