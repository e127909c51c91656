#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace heed {

// A fixed team of threads that all run the same job once and join.
//
//   Workers workers(2);
//   workers.run([&](int worker) { ... });
//
// run() returns when every worker is done. If some threw, the exception of the lowest-numbered one
// is rethrown to the caller, after all have finished. One run() at a time.
class Workers {
 public:
  explicit Workers(int count);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int count() const { return static_cast<int>(threads_.size()); }
  // `job(worker)` is called by reference: nothing is copied or allocated.
  template <typename Job>
  void run(Job&& job) {
    run(const_cast<void*>(static_cast<const void*>(&job)), [](void* called, int worker) {
      (*static_cast<std::remove_reference_t<Job>*>(called))(worker);
    });
  }

  // As many workers as this process, or the container that it is in, may use cores.
  static int available();

 private:
  using Call = void (*)(void*, int);
  void run(void* job, Call call);
  void serve(int worker);
  void stop();

  std::mutex mutex_;
  std::condition_variable start_, done_;
  void* job_ = nullptr;
  Call call_ = nullptr;
  std::uint64_t generation_ = 0;
  int running_ = 0;
  bool stopping_ = false;
  std::vector<std::exception_ptr> errors_;
  std::vector<std::thread> threads_;
};

}  // namespace heed
