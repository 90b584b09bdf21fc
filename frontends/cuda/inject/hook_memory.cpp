// Memory: what is allocated, mapped and freed.
#include "frontends/cuda/inject/checker.h"
#include "frontends/cuda/inject/hooks.h"

namespace redflag::inject {
namespace {

using gpu::HostKind;

CUresult allocated(CUresult done, std::uint64_t address, std::uint64_t bytes) {
  if (done != kSuccess || bytes == 0) return done;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.tell({.kind = HostKind::kAlloc, .address = address, .size = bytes});
  return done;
}

std::uint64_t number(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

// Before the driver's free: another thread may get the same memory at once after it.
void freed(std::uint64_t address) {
  if (address == 0) return;
  Checker& checker = Checker::get();
  const Lock lock = checker.lock();
  checker.managed_ends(address);
  checker.tell({.kind = HostKind::kFree, .address = address});
}

}  // namespace

CUresult mem_alloc(const Call& call, CUdeviceptr* made, std::size_t bytes) {
  const CUresult done = pass(call, made, bytes);
  return allocated(done, done == kSuccess ? *made : 0, bytes);
}

CUresult mem_alloc_pitch(const Call& call, CUdeviceptr* made, std::size_t* pitch, std::size_t width,
                         std::size_t height, unsigned element) {
  const CUresult done = pass(call, made, pitch, width, height, element);
  return allocated(done, done == kSuccess ? *made : 0, done == kSuccess ? *pitch * height : 0);
}

CUresult mem_free(const Call& call, CUdeviceptr at) {
  freed(at);
  return pass(call, at);
}

CUresult mem_alloc_managed(const Call& call, CUdeviceptr* made, std::size_t bytes, unsigned flags) {
  const CUresult done = pass(call, made, bytes, flags);
  if (allocated(done, done == kSuccess ? *made : 0, bytes) == kSuccess && bytes != 0) {
    Checker& checker = Checker::get();
    const Lock lock = checker.lock();
    checker.managed_begins(*made);
  }
  return done;
}

CUresult mem_alloc_host(const Call& call, void** made, std::size_t bytes) {
  const CUresult done = pass(call, made, bytes);
  return allocated(done, done == kSuccess ? number(*made) : 0, bytes);
}

CUresult mem_host_alloc(const Call& call, void** made, std::size_t bytes, unsigned flags) {
  const CUresult done = pass(call, made, bytes, flags);
  return allocated(done, done == kSuccess ? number(*made) : 0, bytes);
}

CUresult mem_free_host(const Call& call, void* at) {
  freed(number(at));
  return pass(call, at);
}

CUresult mem_host_register(const Call& call, void* at, std::size_t bytes, unsigned flags) {
  return allocated(pass(call, at, bytes, flags), number(at), bytes);
}

CUresult mem_alloc_async(const Call& call, CUdeviceptr* made, std::size_t bytes, CUstream stream) {
  const CUresult done = pass(call, made, bytes, stream);
  return allocated(done, done == kSuccess ? *made : 0, bytes);
}

CUresult mem_alloc_pool(const Call& call, CUdeviceptr* made, std::size_t bytes, CUmemoryPool pool,
                        CUstream stream) {
  const CUresult done = pass(call, made, bytes, pool, stream);
  return allocated(done, done == kSuccess ? *made : 0, bytes);
}

CUresult mem_free_async(const Call& call, CUdeviceptr at, CUstream stream) {
  freed(at);
  return pass(call, at, stream);
}

CUresult mem_map(const Call& call, CUdeviceptr at, std::size_t bytes, std::size_t offset,
                 unsigned long long handle, unsigned long long flags) {
  return allocated(pass(call, at, bytes, offset, handle, flags), at, bytes);
}

CUresult mem_unmap(const Call& call, CUdeviceptr at, std::size_t bytes) {
  freed(at);
  return pass(call, at, bytes);
}

}  // namespace redflag::inject
