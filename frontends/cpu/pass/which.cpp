// Compiled once for each plugin, with the name of its kind. All else is compiled once for the three.
#include "frontends/cpu/pass/which.h"

namespace redflag::pass {
const Plugin kPlugin = Plugin::REDFLAG_PLUGIN;
}  // namespace redflag::pass
