#pragma once

#include <memory>
#include <string>

#include "heed/data/read_options.h"
#include "heed/data/record_source.h"

namespace heed {

// Files that hold many pictures. All may be packed as .gz.
//
//   - IDX (MNIST): bytes in 3 dimensions (pictures, lines, columns), or in 4 with the channels of a
//     pixel at the end or of a picture in the second place. The labels are in a file beside it that
//     is called `labels` where this one is called `images`.
//   - CIFAR-10 binaries (data_batch_1.bin, test_batch.bin): a label and 32 x 32 pixels in colour.
//   - CIFAR-100 binaries (train.bin, test.bin): two labels, of which the second, fine one counts.
//
// The names of CIFAR's classes are read from batches.meta.txt or fine_label_names.txt beside it;
// without one of these a class is called by its number.
enum class Archive { kNone, kIdx, kCifar10, kCifar100 };

// By the name, and by how the file begins: IDX may have any name.
Archive archive_of(const std::string& path);

// The pictures of an archive, one after another with flat memory. A header that announces more or
// less than there is, labels that are missing, or not as many as pictures, are FormatErrors.
std::unique_ptr<RecordSource> open_archive(const std::string& path, Archive archive,
                                           Answers answers);

}  // namespace heed
