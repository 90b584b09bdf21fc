// A scan's result, or the error it ended with, as bytes that travel between ranks.
//
// Both ends are the same build on the same kind of machine (the launcher starts one program), so
// races travel as they are in memory, and nothing is versioned. Unpacking checks every length.
#pragma once

#include <string>
#include <string_view>

#include "cli/scan.h"

namespace redflag::cli {

std::string pack(const Result<ScanResult>& result);
Result<ScanResult> unpack(std::string_view bytes);

}  // namespace redflag::cli
