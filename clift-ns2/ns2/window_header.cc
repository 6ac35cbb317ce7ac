#include "window_header.h"

#include <string>

#include "failure.h"

int hdr_clift_window::offset_ = -1;

void hdr_clift_window::check_named(const char* class_name) {
  if (offset_ >= 0) return;
  clift::fail(std::string(class_name) + ": call `add-packet-header CliftWindow` before `new Simulator`");
}

namespace {

class WindowHeaderClass : public PacketHeaderClass {
 public:
  WindowHeaderClass() : PacketHeaderClass("PacketHeader/CliftWindow", sizeof(hdr_clift_window)) {
    bind_offset(&hdr_clift_window::offset_);
  }
} window_header_class;

}  // namespace
