#pragma once

#include <cstddef>
#include <string>

namespace heed {

// What this process may use, which in a container is less than what the machine has: the limits of
// its control groups (version 1 and 2), of all groups above them, and the cores it may run on.
// `root` is where /proc and /sys are found, for tests.

// Cores, at least 1. A quota of 1.5 cores is 2: two threads get more out of it than one.
int available_cores(const std::string& root = "/");

// Bytes of memory.
std::size_t available_memory(const std::string& root = "/");

// An IoError where so many bytes of addresses are not left (ulimit -v). Libraries that compile code
// as they run, oneDNN and libxsmm, end the program when they get no memory: whoever is about to
// call them asks first.
void expect_room(std::size_t bytes);

// Gives memory that was freed back to the system, where the C library keeps it otherwise. For
// moments when much was freed at once.
void return_memory();

}  // namespace heed
