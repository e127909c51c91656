#include <cstdio>  // before jpeglib.h, which needs FILE
// clang-format off
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <csetjmp>
#include <utility>

#include "heed/base/display.h"
#include "heed/base/error.h"
#include "heed/data/image/decode.h"
#include "heed/data/image/orientation.h"

namespace heed {
namespace {

constexpr unsigned kSmallest = 8;  // libjpeg makes pictures up to eight times smaller at no cost

// What libjpeg reports ends in a long jump: everything that must be released lives here.
struct JpegReader {
  JpegReader() = default;
  ~JpegReader() {
    if (created) jpeg_destroy_decompress(&jpeg);
  }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  std::jmp_buf back{};
  bool created = false;
  char problem[JMSG_LENGTH_MAX] = "";
  std::vector<std::uint8_t> values;
};

void on_error(j_common_ptr jpeg) {
  auto* reader = static_cast<JpegReader*>(jpeg->client_data);
  jpeg->err->format_message(jpeg, reader->problem);
  std::longjmp(reader->back, 1);
}

// Most warnings are about oddities that every viewer passes over. A file that ends too early is
// none of them: its missing half would be grey.
void on_warning(j_common_ptr jpeg, int level) {
  if (level < 0 && jpeg->err->msg_code == JWRN_JPEG_EOF) on_error(jpeg);
}

void on_message(j_common_ptr) {}

bool read_header(JpegReader& reader, std::string_view bytes) {
  jpeg_decompress_struct& jpeg = reader.jpeg;
  jpeg.err = jpeg_std_error(&reader.errors);
  jpeg.client_data = &reader;
  reader.errors.error_exit = on_error;
  reader.errors.emit_message = on_warning;
  reader.errors.output_message = on_message;
  if (setjmp(reader.back) != 0) return false;
  jpeg_CreateDecompress(&jpeg, JPEG_LIB_VERSION, sizeof(jpeg));
  reader.created = true;
  jpeg.client_data = &reader;
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()),
               static_cast<unsigned long>(bytes.size()));
  jpeg_read_header(&jpeg, TRUE);
  return true;
}

// The colours that come out, and the size: as small as is wanted, or as it has to be.
bool choose_output(JpegReader& reader, const Extent& wanted) {
  if (setjmp(reader.back) != 0) return false;
  jpeg_decompress_struct& jpeg = reader.jpeg;
  const bool grey = jpeg.jpeg_color_space == JCS_GRAYSCALE;
  const bool four = jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK;
  jpeg.out_color_space = grey ? JCS_GRAYSCALE : four ? JCS_CMYK : JCS_RGB;
  jpeg.dct_method = JDCT_ISLOW;
  const Index height = jpeg.image_height, width = jpeg.image_width;
  unsigned part = 1;
  while (part < kSmallest) {
    const Index next = 2 * part;
    const bool enough =
        wanted.count() > 0 && height / next >= wanted.height && width / next >= wanted.width;
    if (!enough && height / part * (width / part) <= kMostPixels) break;
    part *= 2;
  }
  jpeg.scale_num = 1;
  jpeg.scale_denom = part;
  jpeg_calc_output_dimensions(&jpeg);
  return true;
}

bool begin_lines(JpegReader& reader) {
  if (setjmp(reader.back) != 0) return false;
  jpeg_start_decompress(&reader.jpeg);
  return true;
}

bool read_lines(JpegReader& reader) {
  if (setjmp(reader.back) != 0) return false;
  jpeg_decompress_struct& jpeg = reader.jpeg;
  const std::size_t line =
      std::size_t{jpeg.output_width} * static_cast<std::size_t>(jpeg.output_components);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW to = reader.values.data() + jpeg.output_scanline * line;
    jpeg_read_scanlines(&jpeg, &to, 1);
  }
  jpeg_finish_decompress(&jpeg);
  return true;
}

// Cyan, magenta, yellow and black → red, green, blue. Adobe writes them upside down.
void cmyk_to_rgb(std::vector<std::uint8_t>& values, bool inverted) {
  const auto light = [&](std::uint8_t ink) { return inverted ? unsigned{ink} : 255u - ink; };
  auto to = values.begin();
  for (auto from = values.cbegin(); from != values.cend(); from += 4) {
    const unsigned black = light(from[3]);
    for (Index c = 0; c < 3; ++c) {
      *to++ = static_cast<std::uint8_t>((light(from[c]) * black + 127) / 255);
    }
  }
  values.erase(to, values.end());
}

}  // namespace

bool looks_like_jpeg(std::string_view bytes) { return bytes.starts_with("\xFF\xD8\xFF"); }

namespace {

[[noreturn]] void refuse(const std::string& name, const JpegReader& reader) {
  throw FormatError(fmt::format("{}: cannot be read as a JPEG picture: {}", name, reader.problem));
}

// A picture in several scans is kept in memory at its full size, however small it comes out.
void check_size(const std::string& name, jpeg_decompress_struct& jpeg) {
  const bool whole = jpeg_has_multiple_scans(&jpeg) != 0;
  const Index height = whole ? jpeg.image_height : jpeg.output_height;
  const Index width = whole ? jpeg.image_width : jpeg.output_width;
  if (height * width <= kMostPixels) return;
  throw FormatError(fmt::format("{}: has {} x {} pixels, expected at most {}{}; make it smaller",
                                name, with_commas(jpeg.image_width), with_commas(jpeg.image_height),
                                with_commas(kMostPixels),
                                whole ? " for a progressive JPEG" : " at an eighth of its size"));
}

}  // namespace

Pixels jpeg_header(const std::string& name, std::string_view bytes) {
  JpegReader reader;
  if (!read_header(reader, bytes)) refuse(name, reader);
  const bool grey = reader.jpeg.jpeg_color_space == JCS_GRAYSCALE;
  Index height = reader.jpeg.image_height, width = reader.jpeg.image_width;
  if (swaps_sides(jpeg_orientation(bytes))) std::swap(height, width);
  return {height, width, grey ? 1 : 3, {}};
}

Pixels decode_jpeg(const std::string& name, std::string_view bytes, const Extent& wanted) {
  JpegReader reader;
  jpeg_decompress_struct& jpeg = reader.jpeg;
  if (!read_header(reader, bytes)) refuse(name, reader);
  const int orientation = jpeg_orientation(bytes);
  const bool swapped = swaps_sides(orientation);
  const Extent lying = swapped ? Extent{wanted.width, wanted.height} : wanted;
  if (!choose_output(reader, lying)) refuse(name, reader);
  check_size(name, jpeg);
  if (!begin_lines(reader)) refuse(name, reader);
  const Index channels = jpeg.output_components;
  const Index height = jpeg.output_height, width = jpeg.output_width;
  reader.values.resize(static_cast<std::size_t>(height * width * channels));
  if (!read_lines(reader)) refuse(name, reader);
  if (channels == 4) cmyk_to_rgb(reader.values, jpeg.saw_Adobe_marker != 0);
  return upright({height, width, channels == 1 ? 1 : 3, std::move(reader.values)}, orientation);
}

}  // namespace heed
