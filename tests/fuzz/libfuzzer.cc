// The entry of libFuzzer; TARGET names one of the functions in clift-ns2/tests/fuzz_targets.h.
#include "tests/fuzz_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  clift::TARGET(data, size);
  return 0;
}
