// A program that links its kernels itself, by the driver's linker.
//
//   linked (data|file|fat|mixed|load) MAIN.ptx PART.ptx CODE
//
// data: PTX from memory; file: from files; fat: the second as a fat binary; mixed: the second as machine
// code. What comes out is written to the file CODE, and loaded. load: what another process has written
// there is loaded.
#include "frontends/cuda/fatbin/testing.h"
#include "tests/cuda/inject/calls.h"
#include "tests/cuda/inject/fake_cubin.h"

namespace {

void add(CUlinkState state, int kind, std::string bytes, const char* name) {
  NEED(cuLinkAddData_v2(state, kind, bytes.data(), bytes.size(), name, 0, nullptr, nullptr));
}

void link(const std::string& how, char** files, CUmodule& module) {
  CUlinkState state = nullptr;
  NEED(cuLinkCreate_v2(0, nullptr, nullptr, &state));
  const std::string part = bytes_of(files[1]);
  if (how == "file") {
    NEED(cuLinkAddFile_v2(state, kJitInputPtx, files[0], 0, nullptr, nullptr));
    NEED(cuLinkAddFile_v2(state, kJitInputPtx, files[1], 0, nullptr, nullptr));
  } else {
    add(state, kJitInputPtx, bytes_of(files[0]) + '\0', "main");
  }
  if (how == "data") add(state, kJitInputPtx, part + '\0', "part");
  if (how == "mixed") add(state, kJitInputCode, redflag::fake::cubin(part), "part");
  if (how == "fat") {
    add(state, kJitInputFatBinary,
        redflag::fatbin::testing::container({{.sm = 80, .payload = part}}), "part");
  }
  void* code = nullptr;
  std::size_t bytes = 0;
  NEED(cuLinkComplete(state, &code, &bytes));
  std::ofstream(files[2], std::ios::binary)
      .write(static_cast<char*>(code), static_cast<long>(bytes));
  NEED(cuModuleLoadData(&module, code));
  NEED(cuLinkDestroy(state));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  start();
  CUmodule module = nullptr;
  if (std::string(argv[1]) == "load") {
    NEED(cuModuleLoadData(&module, bytes_of(argv[4]).data()));
  } else {
    link(argv[1], argv + 2, module);
  }
  Numbers numbers;
  numbers.run(module, "bump_all");
  numbers.are(4, "bump_all");
  numbers.run(module, "exchange", 1);
  numbers.are(4, "exchange");
  numbers.run(module, "bump_one");
  numbers.run(module, "collide");
  std::printf("all numbers are right\n");
  return 0;
}
