# Tests of the project itself: its tree, its headers, its package, its README.

# `--target checked_tests` builds the tests of the library under sanitizers and nothing else, for
# script/sanitize.
get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
list(FILTER targets INCLUDE REGEX "_checked$")
add_custom_target(checked_tests DEPENDS ${targets})

find_package(Python3 REQUIRED COMPONENTS Interpreter)

add_test(NAME structure COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/structure_test.py
                                ${PROJECT_SOURCE_DIR})
add_test(NAME structure_finds_mistakes
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/structure_test.py --self-test)
add_test(NAME bench COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/bench_test.py
                            ${PROJECT_SOURCE_DIR})
add_test(NAME data_scripts
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/data_scripts_test.py
                 ${PROJECT_SOURCE_DIR})
add_test(NAME quotes
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/readme_test.py
                 docs/adding_an_operation.md --quotes heed/grad/linear.h heed/grad/linear.cpp
                 tests/grad/linear_cases.cpp WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})

# The program as a user runs it.
foreach(name usage train long read resume bench options answers keep compare audio image translate
             generate transcribe practice reference)
  add_test(NAME cli_${name} COMMAND Python3::Interpreter
                                    ${CMAKE_CURRENT_SOURCE_DIR}/cli/${name}_test.py
                                    $<TARGET_FILE:heed_cli>)
endforeach()
set_tests_properties(cli_reference PROPERTIES SKIP_RETURN_CODE 77)
foreach(page training formats)
  add_test(NAME ${page}_page
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/readme_test.py docs/${page}.md
                   --commands $<TARGET_FILE:heed_cli> WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endforeach()
add_test(NAME compare_page
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/readme_test.py docs/compare.md
                 --commands $<TARGET_FILE:heed_cli> WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
add_test(NAME answers_page
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/readme_test.py docs/answers.md
                 --commands $<TARGET_FILE:heed_cli> WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
# The report in a real browser; skipped where there is none.
add_test(NAME browser COMMAND ${PROJECT_SOURCE_DIR}/script/browser_test $<TARGET_FILE:heed_cli>)
set_tests_properties(browser PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME help COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/help_test.py
                           $<TARGET_FILE:heed_cli>)

# The rest needs no sanitizer, and an outside project could not link objects that have one.
if(HEED_SANITIZE)
  return()
endif()

# Every header compiles on its own. One with a source of the same name is included there first
# (structure_test.py sees to that), so only the others need an object here.
file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/heed/*.h)
list(FILTER headers EXCLUDE REGEX "-inl\\.h$")
foreach(header ${headers})
  string(REGEX REPLACE "h$" "cpp" neighbour ${header})
  if(EXISTS ${PROJECT_SOURCE_DIR}/${neighbour})
    continue()
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${header}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"@header@\"\n" @ONLY)
  list(APPEND header_sources ${source})
endforeach()
add_library(heed_headers OBJECT ${header_sources})
target_compile_options(heed_headers PRIVATE -O0 -g0)
target_link_libraries(heed_headers PRIVATE heed heed_flags)

add_test(NAME package
         COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/package_test.py
                 ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${CMAKE_COMMAND} ${CMAKE_CXX_COMPILER})

# The program in README.md is compiled as it stands there.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/README.md)
set(readme_test ${CMAKE_CURRENT_SOURCE_DIR}/readme_test.py ${PROJECT_SOURCE_DIR}/README.md)
execute_process(COMMAND ${Python3_EXECUTABLE} ${readme_test} --extract
                        ${CMAKE_CURRENT_BINARY_DIR}/readme_example.cpp COMMAND_ERROR_IS_FATAL ANY)
add_executable(readme_example ${CMAKE_CURRENT_BINARY_DIR}/readme_example.cpp)
target_link_libraries(readme_example PRIVATE heed heed_flags)
add_test(NAME readme COMMAND Python3::Interpreter ${readme_test} --run $<TARGET_FILE:readme_example>
                             $<TARGET_FILE:heed_cli>)
