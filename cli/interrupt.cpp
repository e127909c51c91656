#include "cli/interrupt.h"

#include <unistd.h>

#include <csignal>

namespace heed::cli {
namespace {

std::atomic<bool> flag = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) {
  if (flag.exchange(true)) _exit(130);
}

}  // namespace

const std::atomic<bool>& interrupted() {
  static const bool installed = [] {
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    return true;
  }();
  (void)installed;
  return flag;
}

}  // namespace heed::cli
