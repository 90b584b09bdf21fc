#include "core/trace/gpu_writer.h"

#include "core/base/check.h"

namespace redflag {
namespace {

constexpr std::size_t kFullBytes = std::size_t{1} << 20;

}  // namespace

GpuTraceWriter::GpuTraceWriter(ByteSink sink, Places places)
    : sink_(std::move(sink)), places_(std::move(places)), context_(ZSTD_createCCtx()) {
  REDFLAG_CHECK(context_ != nullptr);
  rft::FileHeader header{
      .magic = {}, .version = rft::kGpuVersion, .flags = rft::kGpuFlags, .check = 0};
  rft::kMagic.copy(header.magic, sizeof(header.magic));
  header.check = rft::file_header_check(header);
  state_ = sink_.write(&header, sizeof(header));
}

template <typename Record>
void GpuTraceWriter::add(const Record& record) {
  rft::encode(record, raw_);
  ++count_;
  if (raw_.size() >= kFullBytes) (void)flush();
}

void GpuTraceWriter::name(gpu::SiteId site) {
  if (raw(site) == 0 || !places_ || !named_.insert(raw(site)).second) return;
  add(rft::GpuSite{site, places_(site)});
}

void GpuTraceWriter::launch_begins(const gpu::Launch& launch) {
  add(launch);
}

void GpuTraceWriter::step(const gpu::Step& step) {
  name(step.site);
  add(step);
}

void GpuTraceWriter::launch_ends(gpu::LaunchId launch) {
  add(rft::GpuLaunchEnd{launch});
}

void GpuTraceWriter::host(const gpu::HostStep& step) {
  name(step.site);
  add(step);
}

void GpuTraceWriter::site(const rft::GpuSite& site) {
  if (named_.insert(raw(site.id)).second) add(site);
}

void GpuTraceWriter::write_block(rft::BlockHeader header, const void* raw) {
  if (!state_) return;
  const void* payload = raw;
  header.stored_bytes = header.raw_bytes;
  if (header.type != rft::BlockType::kEnd) {
    compressed_.resize(ZSTD_compressBound(header.raw_bytes));
    const std::size_t size =
        ZSTD_compressCCtx(context_.get(), compressed_.data(), compressed_.size(), raw,
                          header.raw_bytes, rft::kCompressionLevel);
    if (!ZSTD_isError(size) && size < header.raw_bytes) {
      payload = compressed_.data();
      header.codec = rft::Codec::kZstd;
      header.stored_bytes = static_cast<std::uint32_t>(size);
    }
  }
  header.checksum = rft::block_checksum(header, payload, sink_.written());
  state_ = sink_.write(&header, sizeof(header));
  if (state_) state_ = sink_.write(payload, header.stored_bytes);
}

Result<void> GpuTraceWriter::flush() {
  if (count_ == 0) return state_;
  write_block({.type = rft::BlockType::kGpuSteps,
               .raw_bytes = static_cast<std::uint32_t>(raw_.size()),
               .count = count_,
               .first = totals_.events},
              raw_.data());
  totals_.events += count_;
  ++totals_.blocks;
  count_ = 0;
  raw_.clear();
  return state_;
}

Result<void> GpuTraceWriter::finish() {
  (void)flush();
  write_block({.type = rft::BlockType::kEnd, .raw_bytes = sizeof(totals_), .first = totals_.events},
              &totals_);
  if (state_) state_ = sink_.commit();
  return state_;
}

}  // namespace redflag
