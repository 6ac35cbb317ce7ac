# Unit tests of the core: one program. With CLIFT_SANITIZE, a fault in the core that happens to work stops it.
find_package(GTest REQUIRED)

file(GLOB_RECURSE TEST_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cc)
list(FILTER TEST_SOURCES EXCLUDE REGEX "/aqm_replay\\.cc$")
if(CLIFT_SANITIZE)
  set(SANITIZERS -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
endif()

# Of the emulator what knows neither clock nor device.
set(EMULATOR_CORE ${EMULATOR_SOURCES})
list(FILTER EMULATOR_CORE INCLUDE REGEX "/emulate/(flow_table|frame|histogram|ip_packet|settings)\\.cc$")

# The core is compiled once, for both programs.
add_library(tested OBJECT ${CORE_SOURCES} ${EMULATOR_CORE})
set_target_properties(tested PROPERTIES ${CORE_BATCH})

# A program that test_disciplines.py compares with its twins.
add_executable(aqm_replay ${CMAKE_CURRENT_LIST_DIR}/aqm_replay.cc)
target_link_libraries(aqm_replay PRIVATE tested)

# The tests' own code has no sanitizers, which take half of the compiler's time in GoogleTest's templates. The core comes
# first for the linker: of a function that both have, its copy is taken, with the sanitizers.
add_executable(core_tests ${TEST_SOURCES})
set_target_properties(core_tests PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 24)
target_compile_definitions(
  core_tests
  PRIVATE CONTRACT_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}/../traces/contract/"
          CORPUS_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}/../tests/fuzz/corpus/")
target_link_options(core_tests PRIVATE $<TARGET_OBJECTS:tested>)
set_property(TARGET core_tests PROPERTY LINK_DEPENDS $<TARGET_OBJECTS:tested>)
target_link_libraries(core_tests PRIVATE GTest::gtest_main)
# What these two test stands in headers that the core does not include.
set_source_files_properties(
  ${CMAKE_CURRENT_LIST_DIR}/ack_thinning_test.cc ${CMAKE_CURRENT_LIST_DIR}/emulated_link_test.cc
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS "${SANITIZERS}")

foreach(target tested core_tests aqm_replay)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
  target_compile_options(${target} PRIVATE -std=c++17 -Og -g1 ${CLIFT_WARNINGS})
  target_link_options(${target} PRIVATE ${SANITIZERS})
endforeach()
target_compile_options(tested PRIVATE ${SANITIZERS})
target_compile_options(aqm_replay PRIVATE ${SANITIZERS})
# Files that are compiled as one see each other's constants.
target_compile_options(core_tests PRIVATE -Wno-shadow)
