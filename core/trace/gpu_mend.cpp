#include "core/trace/gpu_mend.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/trace/rft_blocks.h"

namespace redflag {

Result<void> mend_gpu_trace(const std::string& path) {
  Result<ByteSource> bytes = ByteSource::open(path);
  if (!bytes) return Failure(bytes.error());
  rft::BlockSource blocks(std::move(*bytes));
  if (Result<void> done = blocks.read_header(true); !done) return done;
  rft::Totals seen{};
  std::uint64_t whole = blocks.bytes().position();
  for (;;) {
    const Result<rft::BlockHeader> header = blocks.next(seen);
    if (!header) break;
    if (header->type == rft::BlockType::kEnd) return {};
    seen.events += header->count;
    ++seen.blocks;
    whole = blocks.bytes().position();
  }
  if (::truncate(path.c_str(), static_cast<off_t>(whole)) != 0) {
    return fail(path + ": cannot be mended: " + std::strerror(errno));
  }
  rft::BlockHeader end{.type = rft::BlockType::kEnd,
                       .stored_bytes = sizeof(seen),
                       .raw_bytes = sizeof(seen),
                       .first = seen.events};
  end.checksum = rft::block_checksum(end, &seen, whole);
  std::ofstream out(path, std::ios::binary | std::ios::app);
  out.write(reinterpret_cast<const char*>(&end), sizeof(end));
  out.write(reinterpret_cast<const char*>(&seen), sizeof(seen));
  out.flush();
  if (!out) return fail(path + ": cannot be mended: writing its end failed");
  return {};
}

}  // namespace redflag
