// ByteSink: where a trace writer puts its bytes: an output file, or a string of a test.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/output_file.h"

namespace redflag {

class ByteSink {
 public:
  explicit ByteSink(OutputFile file) : file_(std::move(file)) {}
  explicit ByteSink(std::string* memory) : memory_(memory) {}  // must outlive the sink

  Result<void> write(std::string_view bytes) {
    written_ += bytes.size();
    if (file_) return file_->write(bytes);
    memory_->append(bytes);
    return {};
  }
  Result<void> write(const void* data, std::size_t size) {
    return write(std::string_view(static_cast<const char*>(data), size));
  }
  // No writes afterwards.
  Result<void> commit() { return file_ ? file_->commit() : Result<void>{}; }

  std::uint64_t written() const { return written_; }
  std::string name() const { return file_ ? file_->path() : "memory"; }

 private:
  std::optional<OutputFile> file_;
  std::string* memory_ = nullptr;
  std::uint64_t written_ = 0;
};

}  // namespace redflag
