#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
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
  void run(const std::function<void(int)>& job);

  // As many workers as this process may use cores.
  static int available();

 private:
  void serve(int worker);

  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(int)>* job_ = nullptr;
  std::uint64_t generation_ = 0;
  int running_ = 0;
  bool stopping_ = false;
  std::vector<std::exception_ptr> errors_;
  std::vector<std::thread> threads_;
};

}  // namespace heed
