// `Clift/PathSettings`: reads the settings of a script's links and queues as the emulator and the kernel's driver do.
#include <string>

#include "tclcl.h"

#include "core/path_settings.h"
#include "named_class.h"

namespace clift {

namespace {

class ScriptPathSettings : public TclObject {
 public:
  ScriptPathSettings() {
    path_.links[0].options.in_order = false;
    path_.declare(table_, TimeUnit::seconds);
  }

  int command(int argc, const char* const* argv) override {
    const std::string what = argc > 1 ? argv[1] : "";
    // Sets one; the result is what is wrong with it, or empty.
    if (argc == 4 && what == "take") {
      Tcl::instance().resultf("%s", fault(argv[2], argv[3]).c_str());
      return TCL_OK;
    }
    // Called when the script has given all.
    if (argc == 2 && what == "complete") {
      path_.complete();
      return TCL_OK;
    }
    // A list of all keys and values.
    if (argc == 2 && what == "values") {
      Tcl_Interp* const interpreter = Tcl::instance().interp();
      Tcl_ResetResult(interpreter);
      for (const auto& [key, value] : table_.values()) {
        Tcl_AppendElement(interpreter, key.c_str());
        Tcl_AppendElement(interpreter, value.c_str());
      }
      return TCL_OK;
    }
    return TclObject::command(argc, argv);
  }

 private:
  std::string fault(const std::string& key, const std::string& value) const {
    try {
      table_.set(key, value);
      return "";
    } catch (const SettingError& error) {
      return error.what();
    }
  }

  PathSettings path_;
  SettingTable table_;
};

NamedClass<ScriptPathSettings> path_settings_class("Clift/PathSettings");

}  // namespace

}  // namespace clift
