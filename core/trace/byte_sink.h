// ByteSink: where a trace writer puts its bytes: an output file, a descriptor, or a string of a test.
//
// A descriptor is for those whose bytes must be there however the process ends: an output file appears
// only when it is whole.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/output_file.h"

namespace redflag {

class ByteSink {
 public:
  explicit ByteSink(OutputFile file) : file_(std::move(file)) {}
  explicit ByteSink(std::string* memory) : memory_(memory) {}              // must outlive the sink
  ByteSink(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}  // closed by others

  Result<void> write(std::string_view bytes) {
    written_ += bytes.size();
    if (file_) return file_->write(bytes);
    if (memory_ == nullptr) return write_all(bytes);
    memory_->append(bytes);
    return {};
  }
  Result<void> write(const void* data, std::size_t size) {
    return write(std::string_view(static_cast<const char*>(data), size));
  }
  // No writes afterwards.
  Result<void> commit() { return file_ ? file_->commit() : Result<void>{}; }

  std::uint64_t written() const { return written_; }
  std::string name() const {
    if (file_) return file_->path();
    return memory_ == nullptr ? name_ : "memory";
  }

 private:
  Result<void> write_all(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t put = ::write(fd_, bytes.data(), bytes.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return fail(name_ + ": cannot write: " + std::strerror(errno));
      bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return {};
  }

  std::optional<OutputFile> file_;
  std::string* memory_ = nullptr;
  int fd_ = -1;
  std::string name_;
  std::uint64_t written_ = 0;
};

}  // namespace redflag
