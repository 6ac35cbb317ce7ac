// Registers a class or a packet header in Tcl under a name: one object of this for each.
#pragma once

#include "config.h"
#include "packet.h"
#include "tclcl.h"

namespace clift {

// A class whose objects a function makes from the script's words. `argv` has four words of Tcl's own before those.
class MadeClass : public TclClass {
 public:
  using Make = TclObject* (*)(int argc, const char* const* argv);

  MadeClass(const char* name, Make make) : TclClass(name), make_(make) {}
  TclObject* create(int argc, const char* const* argv) override { return make_(argc, argv); }

 private:
  Make make_;
};

// A class with a constructor without arguments.
template <class T>
class NamedClass : public MadeClass {
 public:
  explicit NamedClass(const char* name)
      : MadeClass(name, [](int, const char* const*) -> TclObject* { return new T; }) {}
};

template <class Header>
class NamedHeader : public PacketHeaderClass {
 public:
  explicit NamedHeader(const char* name) : PacketHeaderClass(name, sizeof(Header)) { bind_offset(&Header::offset_); }
};

}  // namespace clift
