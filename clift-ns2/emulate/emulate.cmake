# `clift-emulate`: applies link traces to real traffic, with the core that the simulator's queue has.
add_executable(clift-emulate ${EMULATOR_SOURCES})
target_link_libraries(clift-emulate core)
set_target_properties(clift-emulate PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
target_include_directories(clift-emulate PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
set_source_files_properties(${EMULATOR_SOURCES} PROPERTIES COMPILE_OPTIONS "-std=c++17;${CLIFT_WARNINGS}")
