// Fuzz targets: each function gives bytes to a reader and checks its promises.
#pragma once

#include <cstddef>
#include <cstdint>

namespace clift {

// Reads a `.npy` file as both kinds of trace. The first eight bytes are options of a plan, which then carries packets
// over the rows of a link trace.
void fuzz_traces(const std::uint8_t* data, std::size_t size);

// Cuts frames as a TUN device gives them, and numbers their packets; two bytes before each frame are its length.
void fuzz_frames(const std::uint8_t* data, std::size_t size);

// Reads the words of an emulation's command line, which end in zero bytes.
void fuzz_emulator_settings(const std::uint8_t* data, std::size_t size);

}  // namespace clift
