// The host side of a small CUDA program, as a text: what is allocated, launched, copied and expected.
//
//   let n = 64                                # `cuda_runner x.cu n=128` changes it
//   buffer data int n = index                 # also: managed; = 7, = hash 100 (below 100, always the same)
//   symbol counter uint 1                     # a __device__ variable
//   stream s                                  # a stream that does not wait for the default stream
//   launch add<<<2, n / 2, 0, s>>>(data, n)   # also: launch cooperative ..., launch cluster(2) ...
//   sync s                                    # a stream, an event, or: device
//   expect data[3] == 7                       # also: data, all of it; sum(data); == != <= >=
//
// Besides: event e; record e on s; await e on s; upload data on s; download data on s; memset data 0 on s
// (without "on": in the default stream, and the host waits); host_write data[0] = 1; host_read data[0];
// repeat 5 as i ... end. "#" begins a comment.
//
// One text serves twice: cuda.cu runs it on a GPU, inside the program that nvcc makes; emulated.cpp runs
// it on the emulated device, with the program's checked-in PTX. So neither can say something else than the
// other, and the tests need no CUDA toolkit. Each is a Machine; this file and script.cpp know neither.
// Numbers are doubles: whole ones are exact up to 2^53, and their quotient is whole as in C.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace redflag::script {

enum class Type : std::uint8_t { kChar, kShort, kInt, kUint, kLong, kUlong, kFloat, kDouble };
std::size_t size_of(Type type);
double load(Type type, const void* at);
void store(Type type, void* at, double value);

// An argument of a kernel: 8 bytes, of which it takes as many as its parameter has.
struct Argument {
  std::array<std::byte, 8> bytes{};
};

struct LaunchPlan {
  std::string kernel;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t cluster = 1;
  std::uint64_t shared_bytes = 0;
  int stream = 0;  // 0: the default stream
  bool cooperative = false;
  std::vector<Argument> arguments;
};

// Where a script runs. Calls say on which line of the source the statement is. Each returns an empty
// string, or what went wrong.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual std::string allocate(int line, std::uint64_t bytes, bool managed, void** address) = 0;
  virtual std::string find_symbol(const std::string& name, std::uint64_t bytes, void** address) = 0;
  virtual std::string launch(int line, const LaunchPlan& plan) = 0;
  // Copies with stream 0 are waited for.
  virtual std::string upload(int line, void* to, const void* from, std::uint64_t bytes,
                             int stream) = 0;
  virtual std::string download(int line, void* to, const void* from, std::uint64_t bytes,
                               int stream) = 0;
  virtual std::string set(int line, void* at, int value, std::uint64_t bytes, int stream) = 0;
  // The host itself, in managed memory.
  virtual std::string host_access(int line, void* at, std::uint64_t bytes, bool writes) = 0;
  virtual std::string create_stream(int stream) = 0;
  virtual std::string create_event(int event) = 0;
  virtual std::string record(int event, int stream) = 0;
  virtual std::string stream_waits(int event, int stream) = 0;
  virtual std::string sync_event(int event) = 0;
  virtual std::string sync_stream(int stream) = 0;
  virtual std::string sync_device() = 0;
  // For expectations: nothing that the program does. `to` is ordinary memory.
  virtual std::string peek(void* to, const void* from, std::uint64_t bytes) = 0;
};

// The text between R"( and )" of a source, with the line on which it begins; line 0: there is none.
struct Text {
  std::string_view text;
  int line = 0;
};
Text find_script(std::string_view source);

// Runs a script to its end. Empty, or "LINE: what went wrong".
std::string run(const Text& script, const std::map<std::string, double>& values, Machine& machine);

}  // namespace redflag::script
