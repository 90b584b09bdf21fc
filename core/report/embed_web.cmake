# Makes a C++ file of the viewer in web/, so that the library can write the page without any other file.
#   cmake -DWEB=<web folder> -DOUT=<file.cpp> -P embed_web.cmake
# The page's security policy names the exact style and script by hash: whatever else a report might
# smuggle into the page does not run. The hashes are made here, over the bytes that are embedded.

file(READ ${WEB}/viewer.html HTML)
file(READ ${WEB}/viewer.css STYLE)
set(SCRIPT "")
foreach(PART words picture detail filter viewer)
  file(READ ${WEB}/${PART}.js TEXT)
  string(APPEND SCRIPT "${TEXT}")
endforeach()

# CMake gives hashes as hexadecimal digits; policies want base64: six digits make four characters.
function(base64_sha256 TEXT RESULT)
  string(SHA256 HEX "${TEXT}")
  string(APPEND HEX "00")  # 33 bytes, a multiple of three; the padding replaces the last character
  set(LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(BASE64 "")
  foreach(AT RANGE 0 60 6)
    string(SUBSTRING ${HEX} ${AT} 6 SIX)
    foreach(SHIFT 18 12 6 0)
      math(EXPR INDEX "(0x${SIX} >> ${SHIFT}) & 63")
      string(SUBSTRING ${LETTERS} ${INDEX} 1 LETTER)
      string(APPEND BASE64 ${LETTER})
    endforeach()
  endforeach()
  string(SUBSTRING ${BASE64} 0 43 BASE64)
  set(${RESULT} "sha256-${BASE64}=" PARENT_SCOPE)
endfunction()
base64_sha256("${STYLE}" STYLE_HASH)
base64_sha256("${SCRIPT}" SCRIPT_HASH)

foreach(TEXT HTML STYLE SCRIPT)
  if("${${TEXT}}" MATCHES "\\)redflag_web\"")
    message(FATAL_ERROR "web/: the text contains the end of a C++ raw string")
  endif()
endforeach()
file(WRITE ${OUT}.new "// Made from web/ by embed_web.cmake; do not edit.
#include \"core/report/web_assets.h\"

namespace redflag {
const std::string_view kWebPage = R\"redflag_web(${HTML})redflag_web\";
const std::string_view kWebStyle = R\"redflag_web(${STYLE})redflag_web\";
const std::string_view kWebScript = R\"redflag_web(${SCRIPT})redflag_web\";
const std::string_view kWebStyleHash = \"${STYLE_HASH}\";
const std::string_view kWebScriptHash = \"${SCRIPT_HASH}\";
}  // namespace redflag
")
file(RENAME ${OUT}.new ${OUT})
