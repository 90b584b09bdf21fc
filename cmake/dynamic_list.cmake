# cmake -DNM=... -DLIBRARY=libredflag.so -DOUTPUT=libredflag.syms -P dynamic_list.cmake
#
# Writes the symbols that libredflag.so exports as a linker's dynamic list. Programs linked with libredflag.a export the same
# ones, so that the libraries they load, instrumented or not, find the runtime and its interceptors there.
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${lines}")
set(names "")
foreach(line IN LISTS lines)
  if(line MATCHES " [A-Za-z] ([^ @]+)")
    list(APPEND names "${CMAKE_MATCH_1}")
  endif()
endforeach()
# Bounds of the runtime's own sections: each module has its own.
list(FILTER names EXCLUDE REGEX "^__(start|stop)_")
list(REMOVE_ITEM names _init _fini _edata _end __bss_start)
list(REMOVE_DUPLICATES names)
list(SORT names)
list(JOIN names ";\n  " text)
if(text STREQUAL "")
  message(FATAL_ERROR "${LIBRARY}: expected exported symbols, found none")
endif()
file(WRITE ${OUTPUT} "{\n  ${text};\n};\n")
