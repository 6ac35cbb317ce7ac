// The name that a class has in Tcl, where it is made without further words: one object of this for each class.
#pragma once

#include "config.h"
#include "tclcl.h"

namespace clift {

template <class T>
class NamedClass : public TclClass {
 public:
  explicit NamedClass(const char* name) : TclClass(name) {}
  TclObject* create(int, const char* const*) override { return new T; }
};

}  // namespace clift
