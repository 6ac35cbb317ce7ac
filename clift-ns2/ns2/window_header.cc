#include "window_header.h"

#include <string>

#include "failure.h"
#include "named_class.h"

int hdr_clift_window::offset_ = -1;

void hdr_clift_window::check_named(const char* class_name) {
  if (offset_ >= 0) return;
  clift::fail(std::string(class_name) + ": call `add-packet-header CliftWindow` before `new Simulator`");
}

namespace {

clift::NamedHeader<hdr_clift_window> window_header_class("PacketHeader/CliftWindow");

}  // namespace
