// Fuzzes the reader of .rft traces. The checksums of the input are made right first, so that the
// fuzzer reaches what is behind them: block headers, decompression, definitions, the event decoder.
#include "tests/fuzz/fuzz_trace_drive.h"
#include "tests/fuzz/mend_rft.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  redflag::fuzz::mend_checksums(bytes);
  redflag::fuzz::drive(bytes);
  return 0;
}
