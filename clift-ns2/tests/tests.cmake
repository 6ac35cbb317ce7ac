# Unit tests of the core: one program, with the sanitizers on, so that a fault that happens to work stops it too.
find_package(GTest REQUIRED)

file(GLOB_RECURSE TEST_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cc)
list(FILTER TEST_SOURCES EXCLUDE REGEX "/aqm_replay\\.cc$")
set(SANITIZERS -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)

# Of the emulator what knows neither clock nor device.
set(EMULATOR_CORE ${EMULATOR_SOURCES})
list(FILTER EMULATOR_CORE INCLUDE REGEX "/emulate/(flow_table|frame|histogram|ip_packet|settings)\\.cc$")

add_executable(core_tests ${TEST_SOURCES} ${CORE_SOURCES} ${EMULATOR_CORE})
target_include_directories(core_tests PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(
  core_tests
  PRIVATE CONTRACT_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}/../traces/contract/"
          CORPUS_FOLDER="${CMAKE_CURRENT_SOURCE_DIR}/../tests/fuzz/corpus/" _GLIBCXX_ASSERTIONS)
target_compile_options(core_tests PRIVATE -std=c++17 -Og -g1 ${CLIFT_WARNINGS} ${SANITIZERS})
# In the tests' own code two checks are off, which take a third of the compiler's time in GoogleTest's templates. The
# address sanitizer stops at null pointers, too.
set_source_files_properties(${TEST_SOURCES} PROPERTIES COMPILE_OPTIONS -fno-sanitize=null,alignment)
target_link_options(core_tests PRIVATE ${SANITIZERS})
target_link_libraries(core_tests PRIVATE GTest::gtest_main)

# A program that test_disciplines.py compares with its twins.
set(AQM_SOURCES ${CORE_SOURCES})
list(FILTER AQM_SOURCES INCLUDE REGEX "/core/(aqm/.*|[a-z]*_link|[a-z]*_plan|row_[a-z]*|[a-z]*_settings|setting_table|text|words|playback|trace_file|npy)\\.cc$")
add_executable(aqm_replay ${CMAKE_CURRENT_LIST_DIR}/aqm_replay.cc ${AQM_SOURCES})
target_include_directories(aqm_replay PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(aqm_replay PRIVATE _GLIBCXX_ASSERTIONS)
target_compile_options(aqm_replay PRIVATE -std=c++17 -Og -g1 ${CLIFT_WARNINGS} ${SANITIZERS})
target_link_options(aqm_replay PRIVATE ${SANITIZERS})
