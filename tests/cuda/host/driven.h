// The Machine that is a GPU, through the driver alone: rewritten PTX, a device runtime, a script. Needs
// no toolkit to build; libcuda.so.1 is loaded when it is made.
//
// The host waits for each kernel, so that it knows when it has ended; what streams allow is told as the
// program ordered it. Images are arrays of the driver; what is told of them has addresses of a range that is reserved for each.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontends/cuda/device/runtime.h"
#include "frontends/cuda/rewrite/rewrite.h"
#include "tests/cuda/host/emulated.h"
#include "tests/cuda/host/rewritten.h"
#include "tests/cuda/host/script.h"

namespace redflag::script {

// The driver, one device and one context of it.
class Driver final : public device::DeviceMemory {
 public:
  Driver();
  ~Driver() override;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  const std::string& fault() const { return fault_; }  // empty: it is there
  std::uint32_t sm() const { return sm_; }
  // Calls a function by its name. Empty, or what it answered. Arguments have its parameters' types.
  template <typename... Arguments>
  std::string call(const char* function, Arguments... arguments) const {
    auto* const at = reinterpret_cast<int (*)(Arguments...)>(find(function));
    return at == nullptr ? std::string("the driver has no ") + function
                         : answer(function, at(arguments...));
  }

  Result<std::uint64_t> allocate(std::uint64_t bytes) override;
  void free(std::uint64_t address) override;
  void clear(std::uint64_t from, std::uint64_t bytes) override;
  void write(std::uint64_t to, std::span<const std::byte> bytes) override;
  void read(std::uint64_t from, std::span<std::byte> bytes) override;
  Result<Mapped> allocate_mapped(std::uint64_t bytes) override;
  std::uint64_t free_bytes() const override;

 private:
  void* find(const char* function) const;
  std::string answer(const char* function, int result) const;

  void* library_ = nullptr;
  std::string fault_;
  std::uint32_t sm_ = 0;
  void* context_ = nullptr;
  std::vector<void*> mapped_;
};

class Driven final : public Machine {
 public:
  // `registers`: that a thread of a checked kernel may have.
  Driven(Driver& driver, const rewrite::Rewritten& made, device::Runtime& runtime,
         std::uintptr_t registers)
      : driver_(driver), made_(made), runtime_(runtime), registers_(registers) {}
  ~Driven() override;

  std::string connect();  // loads the module and stores the runtime's state in it
  double kernel_seconds() const { return kernel_seconds_; }
  const Versions& versions() const { return versions_; }

  std::string allocate(int line, std::uint64_t bytes, bool managed, void** address) override;
  std::string find_symbol(const std::string& name, std::uint64_t bytes, void** address) override;
  std::string launch(int line, const LaunchPlan& plan) override;
  std::string upload(int line, void* to, const void* from, std::uint64_t bytes,
                     int stream) override;
  std::string download(int line, void* to, const void* from, std::uint64_t bytes,
                       int stream) override;
  std::string set(int line, void* at, int value, std::uint64_t bytes, int stream) override;
  std::string create_image(int line, const ImagePlan& plan, void** image) override;
  std::string create_object(const ObjectPlan& plan, std::uint64_t* handle) override;
  std::string upload_image(int line, void* to, const void* from, const ImagePlan& plan,
                           int stream) override;
  std::string download_image(int line, void* to, void* from, const ImagePlan& plan,
                             int stream) override;
  std::string peek_image(void* to, void* from, const ImagePlan& plan) override;
  std::string host_access(int line, void* at, std::uint64_t bytes, bool writes) override;
  std::string create_stream(int stream) override;
  std::string create_event(int /*event*/) override { return {}; }
  std::string record(int event, int stream) override;
  std::string stream_waits(int event, int stream) override;
  std::string sync_event(int event) override;
  std::string sync_stream(int stream) override;
  std::string sync_device() override;
  std::string peek(void* to, const void* from, std::uint64_t bytes) override;

 private:
  struct Array {
    std::uint64_t address = 0, bytes = 0;  // of the range
  };
  std::string tell_copy(gpu::HostKind kind, int line, std::uint64_t at, std::uint64_t bytes,
                        int stream);

  Driver& driver_;
  const rewrite::Rewritten& made_;
  device::Runtime& runtime_;
  std::uintptr_t registers_;
  void* module_ = nullptr;
  std::map<int, void*> streams_;  // events have no part in it: each launch is waited for
  std::vector<std::uint64_t> allocations_;
  std::map<void*, Array> arrays_;
  std::vector<std::uint64_t> textures_, surfaces_;  // handles
  std::uint32_t launches_ = 0;
  Versions versions_;
  double kernel_seconds_ = 0;
};

}  // namespace redflag::script
