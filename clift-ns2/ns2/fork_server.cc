// `Clift/ForkServer serve DESCRIPTOR`: forks a process for each run that a socket asks for. The start of ns-2, which the
// runs share, takes longer than a short run.
#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tclcl.h"

#include "end_with_parent.h"

namespace clift {

namespace {

struct Answer {
  std::int32_t process;
  std::int32_t error;  // why it cannot run, as errno
};

bool receive(int socket, void* content, std::size_t size) {
  return recv(socket, content, size, MSG_WAITALL) == static_cast<ssize_t>(size);
}

void send_answer(int socket, Answer answer) { send(socket, &answer, sizeof answer, MSG_NOSIGNAL); }

// The words of the next request: the run's directory, its files of stdout and stderr, the script, the script's
// arguments. This process ends when the other one has closed the socket.
std::vector<std::string> next_request(int socket) {
  std::uint32_t size = 0;
  if (!receive(socket, &size, sizeof size)) _exit(0);
  std::string text(size, '\0');
  if (!receive(socket, text.data(), size)) _exit(0);
  std::vector<std::string> words;
  for (std::size_t end, begin = 0; (end = text.find('\0', begin)) != std::string::npos; begin = end + 1) {
    words.push_back(text.substr(begin, end - begin));
  }
  return words;
}

// Forks like fork(2), but the new process is a child of this one's parent, which waits for it and kills it. No other
// thread runs here, so no lock needs a handler of pthread_atfork(3).
pid_t fork_sibling() { return static_cast<pid_t>(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)); }

bool redirect(const std::string& file, int descriptor) {
  const int opened = open(file.c_str(), O_WRONLY | O_CLOEXEC);
  const bool done = opened >= 0 && dup2(opened, descriptor) >= 0;
  if (opened >= 0) close(opened);
  return done;
}

// Makes this process what Popen would have made: in its own session, directory and files.
void become_run(int socket, const std::vector<std::string>& words) {
  end_with_parent();
  setsid();
  const bool ready =
      chdir(words[0].c_str()) == 0 && redirect(words[1], STDOUT_FILENO) && redirect(words[2], STDERR_FILENO);
  send_answer(socket, {getpid(), ready ? 0 : errno});
  close(socket);
  if (!ready) _exit(1);
}

Tcl_Obj* decoded(const std::string& word) {
  Tcl_DString text;
  Tcl_ExternalToUtfDString(nullptr, word.c_str(), -1, &text);
  Tcl_Obj* const object = Tcl_NewStringObj(Tcl_DStringValue(&text), -1);
  Tcl_DStringFree(&text);
  return object;
}

// Runs a script with its arguments as Tcl_Main does.
void run_script(Tcl_Interp* interp, const std::vector<std::string>& words) {
  Tcl_Obj* const script = decoded(words[3]);
  Tcl_Obj* const arguments = Tcl_NewListObj(0, nullptr);
  for (std::size_t i = 4; i < words.size(); ++i) Tcl_ListObjAppendElement(nullptr, arguments, decoded(words[i]));
  Tcl_IncrRefCount(script);
  Tcl_SetVar2Ex(interp, "argv0", nullptr, script, TCL_GLOBAL_ONLY);
  Tcl_SetVar2Ex(interp, "argc", nullptr, Tcl_NewIntObj(static_cast<int>(words.size()) - 4), TCL_GLOBAL_ONLY);
  Tcl_SetVar2Ex(interp, "argv", nullptr, arguments, TCL_GLOBAL_ONLY);
  Tcl_ResetResult(interp);
  const int outcome = Tcl_FSEvalFileEx(interp, script, nullptr);
  if (outcome == TCL_OK) return;
  Tcl_Obj* trace = nullptr;
  Tcl_DictObjGet(nullptr, Tcl_GetReturnOptions(interp, outcome), Tcl_NewStringObj("-errorinfo", -1), &trace);
  if (const Tcl_Channel error = Tcl_GetStdChannel(TCL_STDERR)) {
    if (trace != nullptr) Tcl_WriteObj(error, trace);
    Tcl_WriteChars(error, "\n", 1);
  }
  Tcl_Eval(interp, "exit 1");
}

int requests = -1;  // the socket's descriptor

// Returns in the process of a run, when its script has ended.
void serve() {
  while (true) {
    const std::vector<std::string> words = next_request(requests);
    const pid_t process = fork_sibling();
    if (process < 0) send_answer(requests, {0, errno});
    if (process != 0) continue;
    become_run(requests, words);
    run_script(Tcl::instance().interp(), words);
    return;
  }
}

class ForkServerClass : public TclClass {
 public:
  ForkServerClass() : TclClass("Clift/ForkServer") {}
  TclObject* create(int, const char* const*) override { return nullptr; }

  void bind() override {
    TclClass::bind();
    add_method("serve");
  }

  // `serve DESCRIPTOR`, after three words of Tcl's own. Tcl calls its main loop when this script has ended, so that the
  // scripts of the runs are not nested in it.
  int method(int argc, const char* const* argv) override {
    if (argc != 5 || std::strcmp(argv[3], "serve") != 0) return TclClass::method(argc, argv);
    requests = std::atoi(argv[4]);
    Tcl_SetMainLoop(serve);
    return TCL_OK;
  }
};

ForkServerClass fork_server_class;

}  // namespace

}  // namespace clift
