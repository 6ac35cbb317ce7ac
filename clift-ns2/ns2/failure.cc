#include "failure.h"

#include <tcl.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace clift {

void fail(const std::string& line) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", line.c_str());
  Tcl_Exit(2);
  std::abort();  // Tcl_Exit does not return, but is not declared so
}

void refuse(const std::string& name, const std::string& value, const std::string& allowed) {
  fail(name + " is " + value + "; allowed is " + allowed);
}

bool lies_within(double value, double least, double most) {
  return std::isgreaterequal(value, least) && std::islessequal(value, most);
}

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

}  // namespace clift
