#include "core/trace/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/check.h"

namespace redflag {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 18;

}  // namespace

Result<ByteSource> ByteSource::open(const std::string& path) {
  const int fd = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(path + ": cannot read: " + std::strerror(errno));
  ByteSource source(path == "-" ? "standard input" : path, fd);
  struct stat status{};
  if (::fstat(fd, &status) == 0) {
    if (S_ISDIR(status.st_mode)) return fail(path + ": cannot read: a directory, not a trace");
    if (S_ISREG(status.st_mode)) source.size_ = static_cast<std::uint64_t>(status.st_size);
  }
  return source;
}

ByteSource ByteSource::from_bytes(std::string name, std::string bytes) {
  ByteSource source(std::move(name), -1);
  source.buffer_ = std::move(bytes);
  source.end_ = source.buffer_.size();
  source.size_ = source.buffer_.size();
  return source;
}

ByteSource::ByteSource(ByteSource&& other) noexcept
    : name_(std::move(other.name_)),
      fd_(std::exchange(other.fd_, -1)),
      buffer_(std::move(other.buffer_)),
      begin_(std::exchange(other.begin_, 0)),
      end_(std::exchange(other.end_, 0)),
      position_(other.position_),
      size_(other.size_) {}

ByteSource::~ByteSource() {
  if (fd_ >= 0) ::close(fd_);
}

Result<std::string_view> ByteSource::window(std::size_t want) {
  while (end_ - begin_ < want && fd_ >= 0) {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= std::exchange(begin_, 0);
    }
    const std::size_t room = std::max(want, kReadBytes);
    if (buffer_.size() < room) buffer_.resize(room);
    const ssize_t got = ::read(fd_, buffer_.data() + end_, buffer_.size() - end_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return fail(name_ + ": cannot read at byte " + std::to_string(position_ + end_) + ": " +
                  std::strerror(errno));
    if (got == 0) {
      ::close(std::exchange(fd_, -1));
      break;
    }
    end_ += static_cast<std::size_t>(got);
  }
  return std::string_view(buffer_).substr(begin_, end_ - begin_);
}

void ByteSource::consume(std::size_t bytes) {
  REDFLAG_CHECK(bytes <= end_ - begin_);
  begin_ += bytes;
  position_ += bytes;
}

Result<std::optional<std::string_view>> LineSource::next() {
  std::size_t end = window_.find('\n');
  if (end == std::string_view::npos) {
    bytes_.consume(std::exchange(taken_, 0));
    // What is left of the window starts an unfinished line: ask for more until it ends.
    for (std::size_t want = 1;;) {
      const Result<std::string_view> more = bytes_.window(want);
      if (!more) return Failure(more.error());
      window_ = *more;
      end = window_.substr(0, kMaxLineBytes + 1).find('\n');
      if (end != std::string_view::npos) break;
      if (window_.size() > kMaxLineBytes) {
        ++number_;
        return fail(where() + "a line of more than " + std::to_string(kMaxLineBytes) +
                    " bytes, the longest allowed");
      }
      if (window_.size() < want) break;  // the end: a last line without its end
      want = window_.size() + 1;
    }
    if (window_.empty()) return std::nullopt;
  }
  ++number_;
  std::string_view line = window_.substr(0, end);
  const std::size_t used = end == std::string_view::npos ? window_.size() : end + 1;
  window_.remove_prefix(used);
  taken_ += used;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace redflag
