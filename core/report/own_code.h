// Own code: which frames of a stack the user wrote, and which belong to a standard library.
//
// A reader looks for a line of the program. Text and page fold the frames of standard libraries; a
// finding is folded, excerpted and suppressed by the first function of the program's own code.
// Where a frame has a file, the file decides: a program's own std::hash<T> is its own. Without a
// file the name of the function decides, and without a name the binary.
//
// Limits: the libraries are those of the table in own_code.cpp; the headers of other libraries
// count as the program's code. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/finding.h"

namespace redflag {

// "libstdc++", "libc", ...; empty: the program's own code, as far as can be known.
std::string_view library_of(const CodeFrame& frame);

// The innermost frame of the program's own code that has a file; where all that have one belong to
// a library, the innermost of these. nullptr: no frame has a file.
const CodeFrame* own_frame(const Stack& stack);

// The function that a reader would name: the innermost that is neither of a library nor made from a
// template; else the innermost that is not of a library. nullptr: there is none with a name.
const CodeFrame* own_function(const Stack& stack);

// The parts of a stack that a report shows, innermost first: frames, and runs of library frames in
// between.
struct FoldedRun {
  std::size_t begin = 0;  // of the stack's frames
  std::size_t count = 1;
  std::string label;  // "4 frames of libstdc++"; empty: one frame, shown as it is
};
// The library function that the program called stays on top; below it everything of libraries is
// folded, except for functions of the C library that call back (qsort).
std::vector<FoldedRun> folded(const Stack& stack);

}  // namespace redflag
