// SourceReader: the source line of a frame, with its neighbours.
//
// A report is often rendered on another machine than the build. So a file is searched under its own
// name and then, for each given root, with more and more of its leading folders removed: with root
// "src", "/build/x/lib/a.cpp" is also found as "src/lib/a.cpp". A file that cannot be read, is not
// a regular file, is larger than the limit or holds bytes of zero has no excerpt, which is not an
// error: a report without excerpts is complete.
//
// Limits: it reads three lines of any file that the report names and the user may read. Do not pass
// on a page with excerpts that was made from a report of unknown origin. Files are kept in memory
// up to a total. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/sources.h"

namespace redflag {

struct Excerpt {
  std::uint32_t first_line = 0;    // number of lines[0]
  std::uint32_t marked = 0;        // position in lines of the line asked for
  std::uint32_t column = 0;        // from 1, within the marked line; 0: unknown
  std::vector<std::string> lines;  // tabs widened, long ones cut

  friend bool operator==(const Excerpt&, const Excerpt&) = default;
};

class SourceReader {
 public:
  struct Options {
    std::vector<std::string> roots;
    std::size_t most_file_bytes = std::size_t{4} << 20;
    std::size_t most_total_bytes = std::size_t{64} << 20;
    std::size_t most_line_bytes = 200;
    std::uint32_t context = 1;  // lines before and after
  };

  SourceReader() = default;
  explicit SourceReader(Options options) : options_(std::move(options)) {}

  std::optional<Excerpt> excerpt(const Frame& frame);

 private:
  struct File {
    std::vector<std::string> lines;
  };
  const File* file(const std::string& name);
  std::optional<std::string> read(const std::string& name) const;

  Options options_;
  std::map<std::string, std::optional<File>> files_;  // by the name in the frame; nullopt: none
  std::size_t total_bytes_ = 0;
};

}  // namespace redflag
