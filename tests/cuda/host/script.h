// The host side of a small CUDA program, as a text: what is allocated, launched, copied and expected.
//
//   let n = 64                                # `cuda_runner x.cu n=128` changes it
//   buffer data int n = index                 # also: managed; = 7, = hash 100 (below 100, always the same)
//   symbol counter uint 1                     # a __device__ variable
//   stream s                                  # a stream that does not wait for the default stream
//   launch add<<<2, n / 2, 0, s>>>(data, n)   # also: launch cooperative ..., launch cluster(2) ...
//   sync s                                    # a stream, an event, or: device
//   image pixels float 8 4 = index            # an array of 4 rows; a third number: of so many layers
//   texture t pixels linear wrap normalized   # also: clamp mirror border, float; of a buffer: plain memory
//   surface s pixels                          # both are arguments of kernels
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

// An array of one channel: rows of `width`, none of them for height 0, of so many layers; 0: not layered.
struct ImagePlan {
  Type type = Type::kInt;
  std::uint64_t width = 0, height = 0, layers = 0;
  std::uint64_t count() const {
    return width * (height == 0 ? 1 : height) * (layers == 0 ? 1 : layers);
  }
};

// A texture or surface object, over an image or over a buffer.
struct ObjectPlan {
  void* of = nullptr;
  bool is_image = false;
  bool is_surface = false;
  ImagePlan image;  // of a buffer: type and width
  bool filters = false, normalized = false, as_float = false;
  int mode = 1;  // wrap, clamp, mirror, border
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
  // Images: all of one at a time.
  virtual std::string create_image(int line, const ImagePlan& plan, void** image) = 0;
  virtual std::string create_object(const ObjectPlan& plan, std::uint64_t* handle) = 0;
  virtual std::string upload_image(int line, void* to, const void* from, const ImagePlan& plan,
                                   int stream) = 0;
  virtual std::string download_image(int line, void* to, void* from, const ImagePlan& plan,
                                     int stream) = 0;
  virtual std::string peek_image(void* to, void* from, const ImagePlan& plan) = 0;
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
