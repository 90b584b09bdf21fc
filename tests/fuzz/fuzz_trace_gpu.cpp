// Fuzzes the reader of traces of GPU kernels: what it lets through is encoded again, which looks at
// every field and lane.
#include "core/trace/gpu_reader.h"
#include "tests/fuzz/mend_rft.h"

namespace {

class Encodes final : public redflag::gpu::Sink {
 public:
  void launch_begins(const redflag::gpu::Launch& launch) override {
    redflag::rft::encode(launch, bytes_);
  }
  void step(const redflag::gpu::Step& step) override {
    bytes_.clear();
    redflag::rft::encode(step, bytes_);
  }
  void launch_ends(redflag::gpu::LaunchId launch) override {
    redflag::rft::encode(redflag::rft::GpuLaunchEnd{launch}, bytes_);
  }
  void host(const redflag::gpu::HostStep& step) override { redflag::rft::encode(step, bytes_); }

 private:
  std::string bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  redflag::fuzz::mend_checksums(bytes);
  redflag::Result<redflag::GpuTraceReader> reader =
      redflag::GpuTraceReader::from_bytes("fuzz", std::move(bytes));
  if (!reader) return 0;
  Encodes sink;
  for (redflag::Result<bool> more = true; more && *more;) more = reader->play(sink);
  return 0;
}
