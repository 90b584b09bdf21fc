// Fuzzes the reader of STD traces.
#include "core/trace/std_reader.h"
#include "tests/fuzz/fuzz_trace_drive.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace redflag;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  // Also what would not be taken for STD by its first line.
  const auto reader = read_std(ByteSource::from_bytes("fuzz", bytes));
  fuzz::read_and_check(*reader);
  fuzz::drive(bytes);
  return 0;
}
