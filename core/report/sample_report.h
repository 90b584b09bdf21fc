// Reports for the tests of this folder and of the page: usual ones, and ones that mean harm.
//
// The usual findings speak of the small programs in tests/web/sources, so that their excerpts can
// be read. The hostile ones hold what a name must not do to a printer: tags, script ends, escape
// sequences, quotes, line separators, broken encoding, very long names.
#pragma once

#include <string>
#include <vector>

#include "core/model/finding.h"

namespace redflag::sample {

// Parts.
Step step(std::uint64_t index, std::uint32_t thread, std::string what, Frame at = {},
          Step::Role role = Step::Role::kSync);
std::vector<ThreadOrigin> main_and_teller();

Finding write_write();   // both hold locks, but no common one; three threads in the picture
Finding write_read();    // published with a relaxed store
Finding read_write();    // one side without any stack
Finding atomic_plain();  // a plain read of a flag
Finding use_after_free();
Finding lockset();  // a prediction
Finding bare();     // no sources, no names: a trace of numbers

std::vector<Finding> one_of_each();  // of those that detectors find, in the order of kRules

Finding live();            // write_write() with all that a live run knows of a global
Finding live_freed();      // a heap block, used after it was freed; the first stack is lost
Finding destroy_locked();  // misuse of a lock, with the holder
Finding thread_leak();     // misuse without any stack of its own
Finding signal_unsafe();

Finding in_library();  // both sides inside of a vector, with the frames of threads and of libstdc++
// Findings whose innermost function is a library's, an instance of a template, an operator, or has
// a name that is too long or has stars in it.
std::vector<Finding> hard_to_name();

Report empty();
Report one();
Report usual();      // one_of_each() and bare(), folded, compared with a baseline
Report large();      // about 40 findings, some of a live run
Report live_run();   // live() to signal_unsafe()
Report grouped();    // hard_to_name(), most of them on one variable
Report confirmed();  // every verdict of redflag confirm
Report
gpu_run();  // a scoped fence, a barrier that half a warp reaches, the host; then one of each other rule
Report hostile();  // fully valid UTF-8: survives a round trip through JSON

// Adds bytes that are not UTF-8 to the names.
Report broken_encoding();

}  // namespace redflag::sample
