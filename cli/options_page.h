// docs/user/options.md: every command with its options, made from the tables.
//
// 'redflag man --markdown' prints the page, and the test 'pages' compares the file with it, so that
// the page cannot go stale. Help texts are plain text; here their quoted commands, options and names
// of pages become code and links, and what Markdown would read as its own is escaped.
#pragma once

#include <string>
#include <string_view>

namespace redflag::cli {

std::string options_page();

// A help text as Markdown, on one line.
std::string as_markdown(std::string_view text);

}  // namespace redflag::cli
