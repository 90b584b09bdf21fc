# Run by cpack when the files are installed below /usr/lib/redflag, before they are packed: puts what others look for where
# Debian has it (commands, pages, the CMake package), and adds what Debian wants: the copyright, the change log and the
# manual page compressed, one manual page for each name of the command.
set(USR ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr)
set(OWN ${USR}/lib/redflag)
if(NOT EXISTS ${OWN}/bin/redflag)
  message(FATAL_ERROR "needed: the installed command ${OWN}/bin/redflag\nfound: none\n"
    "to mend it: ninja -C ${CPACK_REDFLAG_BUILD} product")
endif()
set(DOC ${USR}/share/doc/redflag)

function(compress FILE)
  execute_process(COMMAND gzip -9nf ${FILE} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(READ ${CPACK_REDFLAG_SOURCE}/packaging/copyright TEXT)
file(CONFIGURE OUTPUT ${DOC}/copyright CONTENT "${TEXT}" @ONLY)
file(READ ${CPACK_REDFLAG_SOURCE}/packaging/changelog TEXT)
file(CONFIGURE OUTPUT ${DOC}/changelog CONTENT "${TEXT}" @ONLY)
compress(${DOC}/changelog)

file(MAKE_DIRECTORY ${USR}/bin)
file(GLOB NAMES RELATIVE ${OWN}/bin ${OWN}/bin/redflag*)
foreach(NAME IN LISTS NAMES)
  file(CREATE_LINK ../lib/redflag/bin/${NAME} ${USR}/bin/${NAME} SYMBOLIC)
endforeach()

# Made where REDFLAG_PAGES is on.
if(EXISTS ${OWN}/share/man)
  file(GLOB FOLDERS RELATIVE ${OWN}/share ${OWN}/share/*)
  foreach(FOLDER IN LISTS FOLDERS)
    file(RENAME ${OWN}/share/${FOLDER} ${USR}/share/${FOLDER})
  endforeach()
  file(REMOVE_RECURSE ${OWN}/share)
  foreach(NAME IN LISTS NAMES)
    if(NOT NAME STREQUAL "redflag")
      file(CREATE_LINK redflag.1.gz ${USR}/share/man/man1/${NAME}.1.gz SYMBOLIC)
    endif()
  endforeach()
  compress(${USR}/share/man/man1/redflag.1)
endif()

# CMake looks in /usr/lib/cmake; the files there lead to those beside the libraries.
foreach(NAME RedflagConfig RedflagConfigVersion)
  file(WRITE ${USR}/lib/cmake/Redflag/${NAME}.cmake
    "include(\"\${CMAKE_CURRENT_LIST_DIR}/../../redflag/lib/cmake/Redflag/${NAME}.cmake\")\n")
endforeach()

# Libraries are read, not run.
file(GLOB_RECURSE LIBRARIES LIST_DIRECTORIES false ${OWN}/lib/*.so ${OWN}/lib/*.so.*)
foreach(LIBRARY IN LISTS LIBRARIES)
  if(NOT IS_SYMLINK ${LIBRARY})
    file(CHMOD ${LIBRARY} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  endif()
endforeach()
