// SourceReader: the line of source a frame speaks of, with its neighbours.
//
// A report is often rendered elsewhere than where the program was built, so a file is looked for
// under its own name and then, for each given root, with ever more of its leading folders taken
// away: with root "src", "/build/x/lib/a.cpp" is also found as "src/lib/a.cpp". A file that cannot
// be read, is not a regular file, is larger than the limit or holds bytes of zero has no excerpt,
// which is no error: a report without excerpts is complete.
//
// Limits: whatever the report names and the user may read is read, three lines of it; do not render
// a stranger's report with excerpts and hand the page on. Files are kept in memory up to a total.
// One thread at a time.
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
