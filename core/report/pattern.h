// Pattern: the small matching language of suppression files.
//
// As in ThreadSanitizer: a pattern is found anywhere in a name; `*` stands for any run of
// characters, `^` at the beginning and `$` at the end tie it to that end of the name. Redflag adds
// `\*`, which stands for a star: C++ has an operator* and pointers. Everything else stands for
// itself, also `^` and `$` elsewhere (C++ has an operator^) and a backslash before anything but a
// star. An empty name is never matched. Matching takes time proportional to pattern times name at
// worst: the parts between stars are searched leftmost first, and one that is found is never tried
// again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redflag {

class Pattern {
 public:
  explicit Pattern(std::string_view text);

  bool matches(std::string_view name) const;

  // A pattern that matches exactly `name`, written for a line of a file: what a line cannot hold
  // (line ends, other control characters) becomes `*`, and so does a backslash. Above `most`
  // characters (0: any) it is as exact as fits: a function keeps its qualified name and loses its
  // parameters, and a longer name loses its middle.
  static std::string exactly(std::string_view name, std::size_t most = 0);

 private:
  std::vector<std::string> parts_;  // between the stars; at least one
  bool from_start_ = false;
  bool to_end_ = false;
};

}  // namespace redflag
