# What is installed, and the pages that the command prints about itself.
#
# The manual and the completions come out of the same tables as the parser (cli/options.h), so they are made
# by the command that was just built. Cross builds cannot run it: they set REDFLAG_PAGES=OFF.
option(REDFLAG_PAGES "make the manual page and the shell completions" ON)

install(TARGETS redflag RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET redflag_mpi)
  install(TARGETS redflag_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

if(REDFLAG_PAGES)
  set(PAGES ${CMAKE_BINARY_DIR}/share)
  file(MAKE_DIRECTORY ${PAGES}/man/man1 ${PAGES}/bash ${PAGES}/zsh ${PAGES}/fish)
  add_custom_command(
    OUTPUT ${PAGES}/man/man1/redflag.1 ${PAGES}/bash/redflag ${PAGES}/zsh/_redflag ${PAGES}/fish/redflag.fish
    COMMAND redflag --man > ${PAGES}/man/man1/redflag.1
    COMMAND redflag completion bash > ${PAGES}/bash/redflag
    COMMAND redflag completion zsh > ${PAGES}/zsh/_redflag
    COMMAND redflag completion fish > ${PAGES}/fish/redflag.fish
    DEPENDS redflag
    COMMENT "Making the manual page and the completions"
    VERBATIM)
  add_custom_target(redflag_pages ALL DEPENDS ${PAGES}/man/man1/redflag.1)
  install(FILES ${PAGES}/man/man1/redflag.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${PAGES}/bash/redflag DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PAGES}/zsh/_redflag DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${PAGES}/fish/redflag.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
