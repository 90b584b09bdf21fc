// Computes the table of cases.tsv on a GPU and prints it in the same format.
//
//   nvcc -o confirm confirm.cu -lcuda && ./confirm cases.tsv > gpu.tsv && diff cases.tsv gpu.tsv
//
// Every instruction becomes a kernel of a PTX module made here, whose threads are its cases; the driver
// compiles it for the GPU at hand. What the driver refuses is printed as '?'. The exit code is 1 when a result
// differs. Approximate functions are in the table with arguments only where the manual fixes the result.
#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

struct Case {
  std::string line;  // of comments: as it is
  std::string text;
  std::vector<std::uint64_t> sources;
  std::string inputs;
  std::string expected;
  std::string found = "?";
};

static void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  std::fprintf(stderr, "confirm: %s: %s\n", what, name);
  std::exit(2);
}

// Registers in the order they are written: the result, then the sources.
static std::vector<std::string> registers(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
    std::size_t end = at + 2;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    all.push_back(text.substr(at, end - at));
  }
  return all;
}
// From and to 64 bits, by the letter of the register.
static std::string loaded(const std::string& reg) {
  switch (reg[1]) {
    case 'p':
      return "setp.ne.u64 " + reg + ", %raw, 0;\n";
    case 'h':
      return "cvt.u16.u64 " + reg + ", %raw;\n";
    case 'r':
      return "cvt.u32.u64 " + reg + ", %raw;\n";
    case 'f':
      return "cvt.u32.u64 %low, %raw;\nmov.b32 " + reg + ", %low;\n";
    default:
      return "mov.b64 " + reg + ", %raw;\n";
  }
}
static std::string stored(const std::string& reg) {
  switch (reg[1]) {
    case 'p':
      return "selp.u64 %raw, 1, 0, " + reg + ";\n";
    case 'h':
      return "cvt.u64.u16 %raw, " + reg + ";\n";
    case 'r':
      return "cvt.u64.u32 %raw, " + reg + ";\n";
    case 'f':
      return "mov.b32 %low, " + reg + ";\ncvt.u64.u32 %raw, %low;\n";
    default:
      return "mov.b64 %raw, " + reg + ";\n";
  }
}
static std::string module_for(const std::string& text) {
  const std::vector<std::string> regs = registers(text);
  std::string body =
      ".version 8.5\n.target sm_90\n.address_size 64\n"
      ".visible .entry run(.param .u64 in, .param .u64 out)\n{\n"
      ".reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b64 %l<8>; .reg .f32 %f<8>; .reg "
      ".f64 %d<8>;\n"
      ".reg .b32 %t, %low; .reg .b64 %raw, %from, %to, %offset;\n"
      "mov.u32 %t, %tid.x;\nld.param.u64 %from, [in];\nld.param.u64 %to, [out];\n"
      "mul.wide.u32 %offset, %t, 32;\nadd.u64 %from, %from, %offset;\n"
      "mul.wide.u32 %offset, %t, 8;\nadd.u64 %to, %to, %offset;\n";
  for (std::size_t i = 1; i < regs.size(); ++i) {
    body += "ld.global.u64 %raw, [%from+" + std::to_string(8 * (i - 1)) + "];\n" + loaded(regs[i]);
  }
  return body + text + "\n" + stored(regs[0]) + "st.global.u64 [%to], %raw;\nret;\n}\n";
}

int main(int count, char** arguments) {
  std::ifstream file(count > 1 ? arguments[1] : "cases.tsv");
  if (!file) {
    std::fprintf(stderr, "confirm: give the path of cases.tsv\n");
    return 2;
  }
  std::vector<Case> cases;
  std::map<std::string, std::vector<std::size_t>> by_text;
  for (std::string line; std::getline(file, line);) {
    Case made;
    made.line = line;
    if (!line.empty() && line[0] != '#') {
      std::istringstream fields(line);
      std::getline(fields, made.text, '\t');
      std::getline(fields, made.inputs, '\t');
      std::getline(fields, made.expected, '\t');
      std::istringstream numbers(made.inputs);
      for (std::string number; numbers >> number;) {
        made.sources.push_back(std::strtoull(number.c_str(), nullptr, 16));
      }
      made.sources.resize(4);
      by_text[made.text].push_back(cases.size());
    }
    cases.push_back(made);
  }
  check(cuInit(0), "cuInit");
  CUdevice device = 0;
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  CUcontext context = nullptr;
  check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  CUdeviceptr in = 0;
  CUdeviceptr out = 0;
  check(cuMemAlloc(&in, 1024 * 32), "cuMemAlloc");
  check(cuMemAlloc(&out, 1024 * 8), "cuMemAlloc");
  for (const auto& [text, places] : by_text) {
    const std::string source = module_for(text);
    CUmodule module = nullptr;
    if (cuModuleLoadData(&module, source.c_str()) != CUDA_SUCCESS) {
      std::fprintf(stderr, "confirm: the driver refuses %s\n", text.c_str());
      continue;
    }
    CUfunction function = nullptr;
    check(cuModuleGetFunction(&function, module, "run"), "cuModuleGetFunction");
    std::vector<std::uint64_t> sources;
    for (const std::size_t place : places) {
      sources.insert(sources.end(), cases[place].sources.begin(), cases[place].sources.end());
    }
    check(cuMemcpyHtoD(in, sources.data(), sources.size() * 8), "cuMemcpyHtoD");
    void* parameters[] = {&in, &out};
    check(cuLaunchKernel(function, 1, 1, 1, static_cast<unsigned>(places.size()), 1, 1, 0, nullptr,
                         parameters, nullptr),
          "cuLaunchKernel");
    std::vector<std::uint64_t> results(places.size());
    check(cuMemcpyDtoH(results.data(), out, results.size() * 8), "cuMemcpyDtoH");
    for (std::size_t i = 0; i < places.size(); ++i) {
      char hex[32];
      std::snprintf(hex, sizeof hex, "%llx", static_cast<unsigned long long>(results[i]));
      cases[places[i]].found = hex;
    }
    cuModuleUnload(module);
  }
  int differ = 0;
  for (const Case& each : cases) {
    if (each.text.empty()) {
      std::cout << each.line << "\n";
      continue;
    }
    std::cout << each.text << "\t" << each.inputs << "\t" << each.found << "\n";
    if (each.found != each.expected) ++differ;
  }
  std::fprintf(stderr, "confirm: %zu cases, %d differ\n", cases.size(), differ);
  return differ == 0 ? 0 : 1;
}
