#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/folder_lock.h"

namespace heed {

inline constexpr const char* kRunFile = "run.json";  // what begins a run anew

// A model's folder, for a run that trains into it.
//
//   MODEL/             the files of a model that is finished, perhaps an earlier one, which serves
//                      until the new one is ready
//   MODEL/checkpoint/  the run: run.json, with which it can be begun anew; the files that describe
//                      the model; state.safetensors, from which it goes on
//   MODEL/checkpoint/best/   the best model so far, when the run was stopped
//   MODEL/checkpoint/model/  the new model when it is finished, the weights last
//
// So whoever is killed leaves a run that can be resumed, or a model that is ready and only has to
// be published, or a finished one; and all the time a model that can be used, if there was one.
//
// The folder is locked, so no two runs are in it. Everything is an IoError that the system refuses.
class RunFolder {
 public:
  // Locks the folder if it is there already; another run in it is a UsageError.
  explicit RunFolder(std::string path);
  // Takes away what begin() made unless keep() was called, and nothing else.
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string run() const;                          // MODEL/checkpoint
  std::string file(const std::string& name) const;  // MODEL/checkpoint/NAME
  std::string result() const;                       // MODEL/checkpoint/model

  bool begun() const;  // run.json is there
  bool ready() const;  // the new weights are there

  // Makes place for a new run: an earlier one that was not finished goes, a model stays.
  void begin();
  void keep() { own_ = false; }
  // Before anything of the run is written: that the folder is still there.
  void check() const;
  // Brings the new model to its place, and ends the run.
  void publish();
  // Removes what a run left that was killed after that.
  void clear();

 private:
  void make();

  std::string path_;
  FolderLock lock_;
  bool own_ = false;               // begun and not yet worth keeping
  std::vector<std::string> made_;  // folders that were not there, the outermost first
};

// Whether a run in a folder can be resumed.
bool resumable(const std::string& folder);

// An IoError where the disk has no room to train in a folder: a checkpoint of so many bytes lies
// beside the last one until it is whole. When the weights are written there is one, so that is
// less; and the model's other files are small.
void check_room(const std::string& folder, std::uintmax_t checkpoint);

}  // namespace heed
