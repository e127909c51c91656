#include "heed/data/text/class_folder.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "fuzz/fuzz.h"
#include "heed/data/utf8.h"

namespace heed {
namespace {

// A folder with one class and one file, for as long as the program runs.
struct Folder {
  Folder()
      : path(std::filesystem::temp_directory_path() / ("heed_fuzz_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path / "class");
  }
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  std::filesystem::path path;
};

}  // namespace

std::span<const std::string_view> fuzz::seeds() {
  static constexpr std::string_view kSeeds[] = {
      "\xEF\xBB\xBF"
      "From: me\r\n\r\nHello\r\n",
      "caf\xE9\n", "\x1f\x8b\x08"};
  return kSeeds;
}

}  // namespace heed

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const heed::Folder folder;
  return heed::fuzz::run(data, size, [](const std::string& bytes) {
    std::ofstream(folder.path / "class" / "file", std::ios::binary) << bytes;
    heed::ClassFolderSource source(folder.path.string());
    heed::Record record;
    heed::fuzz::require(source.next(record), "the file is read");
    heed::fuzz::require(heed::valid_utf8(std::get<heed::Text>(record.content).text),
                        "its text is valid UTF-8");
    heed::fuzz::require(std::get<heed::Label>(record.answer).name == "class",
                        "its label is the name of its folder");
    heed::fuzz::require(!source.next(record), "there is one file");
  });
}
