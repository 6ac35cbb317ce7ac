// Registers a class in Tcl under a name, with a constructor without arguments: one object of this for each class.
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
