// A launch's parameters with one more behind them: the launch's number, for the rewritten kernel.
//
// The program gives an array of pointers, one for each parameter, or one block of bytes ('extra'). We
// make a copy of whichever it is, longer by ours. The copy lives as long as this does; the driver has
// read it when the launch returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace redflag::inject {

// The block of bytes that `extra` says; {nullptr, 0}: it says none.
struct Block {
  const void* at = nullptr;
  std::size_t bytes = 0;
};
Block block_in(void** extra);

class Parameters {
 public:
  // `own`: parameters of the kernel as the program knows it; `offset`: of the number in the block.
  Parameters(std::uint32_t own, std::uint32_t offset, std::uint64_t number, void** params,
             void** extra);

  void** params() { return pointers_.empty() ? nullptr : pointers_.data(); }
  const std::vector<std::byte>& block() const { return block_; }  // empty: pointers were given
  void** extra() { return words_.empty() ? nullptr : words_.data(); }

 private:
  std::uint64_t number_;
  std::vector<void*> pointers_;
  std::vector<std::byte> block_;
  std::size_t size_ = 0;
  std::vector<void*> words_;
};

}  // namespace redflag::inject
