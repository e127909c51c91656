#include "heed/base/workers.h"

#include <fmt/format.h>

#include <system_error>

#include "heed/base/error.h"
#include "heed/base/machine.h"

namespace heed {

Workers::Workers(int count) {
  if (count < 1 || count > 1024) {
    fail<UsageError>("workers", "expected 1 to 1024 workers, got {}", count);
  }
  errors_.resize(static_cast<std::size_t>(count));
  threads_.reserve(static_cast<std::size_t>(count));
  try {
    for (int worker = 0; worker < count; ++worker) {
      threads_.emplace_back([this, worker] { serve(worker); });
    }
  } catch (const std::system_error& error) {
    const std::size_t started = threads_.size();
    stop();  // those that did start
    throw IoError(fmt::format(
        "cannot start thread {} of {}: {}; is memory or the number of threads limited (ulimit)?",
        started + 1, count, error.code().message()));
  } catch (...) {
    stop();
    throw;
  }
}

Workers::~Workers() { stop(); }

void Workers::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  start_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::run(void* job, Call call) {
  std::unique_lock lock(mutex_);
  job_ = job;
  call_ = call;
  running_ = count();
  for (std::exception_ptr& error : errors_) error = nullptr;
  ++generation_;
  start_.notify_all();
  done_.wait(lock, [this] { return running_ == 0; });
  for (const std::exception_ptr& error : errors_) {
    if (error) std::rethrow_exception(error);
  }
}

void Workers::serve(int worker) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    start_.wait(lock, [&] { return stopping_ || generation_ != seen; });
    if (stopping_) return;
    seen = generation_;
    void* job = job_;
    const Call call = call_;
    lock.unlock();
    std::exception_ptr error;
    try {
      call(job, worker);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    errors_[static_cast<std::size_t>(worker)] = error;
    if (--running_ == 0) done_.notify_one();
  }
}

int Workers::available() { return available_cores(); }

}  // namespace heed
