// The checksums of an .rft file made right, so that a fuzzer reaches what is behind them: block
// headers, decompression, records.
#pragma once

#include <cstring>
#include <string>

#include "core/trace/format.h"

namespace redflag::fuzz {

inline void mend_checksums(std::string& bytes) {
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

}  // namespace redflag::fuzz
