#include <png.h>

#include <csetjmp>
#include <cstring>

#include "heed/base/display.h"
#include "heed/base/error.h"
#include "heed/data/image/decode.h"

namespace heed {
namespace {

constexpr std::size_t kSignature = 8;
constexpr std::size_t kMostOfAChunk = std::size_t{8} << 20;  // of text, a colour profile, …
constexpr unsigned kWhite = 255;

// One picture on its way out of libpng, which reports what is wrong by a long jump: everything that
// must be released lives here, and not in the functions that are jumped out of.
struct PngReader {
  explicit PngReader(std::string_view all) : rest(all) {}
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string_view rest;
  std::string problem;
  Index height = 0, width = 0, channels = 0;  // with that of transparency
  std::vector<std::uint8_t> values;
  std::vector<png_bytep> lines;
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  static_cast<PngReader*>(png_get_error_ptr(png))->problem = message;
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void give_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto* reader = static_cast<PngReader*>(png_get_io_ptr(png));
  if (reader->rest.size() < count) png_error(png, "the file ends too early");
  std::memcpy(to, reader->rest.data(), count);
  reader->rest.remove_prefix(count);
}

// The header, and how the pixels are to come. False where something is wrong.
bool read_header(PngReader& reader) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_set_read_fn(reader.png, &reader, give_bytes);
  png_set_user_limits(reader.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_chunk_malloc_max(reader.png, kMostOfAChunk);
  png_read_info(reader.png, reader.info);
  reader.height = png_get_image_height(reader.png, reader.info);
  reader.width = png_get_image_width(reader.png, reader.info);
  return true;
}

bool set_transforms(PngReader& reader, Palette palette) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  const bool numbers = palette == Palette::kNumbers &&
                       png_get_color_type(reader.png, reader.info) == PNG_COLOR_TYPE_PALETTE;
  if (numbers) {
    png_set_packing(reader.png);
  } else {
    png_set_expand(reader.png);
    png_set_scale_16(reader.png);
  }
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  reader.channels = png_get_channels(reader.png, reader.info);
  return true;
}

bool read_lines(PngReader& reader) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_read_image(reader.png, reader.lines.data());
  png_read_end(reader.png, nullptr);
  return true;
}

// Grey with transparency has 2 channels, colour with it 4: over white, 1 or 3 are left.
void lay_over_white(std::vector<std::uint8_t>& values, Index channels) {
  const auto all = static_cast<std::size_t>(channels), kept = all - 1;
  auto to = values.begin();
  for (auto from = values.cbegin(); from != values.cend(); from += static_cast<Index>(all)) {
    const unsigned alpha = from[static_cast<Index>(kept)];
    for (std::size_t c = 0; c < kept; ++c) {
      const unsigned sum = from[static_cast<Index>(c)] * alpha + kWhite * (255 - alpha);
      *to++ = static_cast<std::uint8_t>((sum + 127) / 255);
    }
  }
  values.erase(to, values.end());
}

}  // namespace

bool looks_like_png(std::string_view bytes) {
  return bytes.starts_with(std::string_view("\x89PNG\r\n\x1A\n", kSignature));
}

namespace {

[[noreturn]] void refuse(const std::string& name, const PngReader& reader) {
  throw FormatError(fmt::format("{}: cannot be read as a PNG picture: {}", name, reader.problem));
}

void begin(const std::string& name, PngReader& reader) {
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, on_error, on_warning);
  if (reader.png != nullptr) reader.info = png_create_info_struct(reader.png);
  if (reader.info == nullptr) throw IoError(name + ": no memory to read a PNG picture");
  if (!read_header(reader)) refuse(name, reader);
  if (reader.width <= kMostPixels / reader.height) return;
  throw FormatError(fmt::format("{}: has {} x {} pixels, expected at most {}; make it smaller",
                                name, with_commas(reader.width), with_commas(reader.height),
                                with_commas(kMostPixels)));
}

}  // namespace

Pixels png_header(const std::string& name, std::string_view bytes) {
  PngReader reader(bytes);
  begin(name, reader);
  const bool grey = (png_get_color_type(reader.png, reader.info) & PNG_COLOR_MASK_COLOR) == 0;
  return {reader.height, reader.width, grey ? 1 : 3, {}};
}

Pixels decode_png(const std::string& name, std::string_view bytes, Palette palette) {
  PngReader reader(bytes);
  begin(name, reader);
  if (!set_transforms(reader, palette)) refuse(name, reader);
  const Index line = reader.width * reader.channels;
  reader.values.resize(static_cast<std::size_t>(reader.height * line));
  for (Index y = 0; y < reader.height; ++y) reader.lines.push_back(reader.values.data() + y * line);
  if (!read_lines(reader)) refuse(name, reader);
  if (reader.channels % 2 == 0) lay_over_white(reader.values, reader.channels);
  return {reader.height, reader.width, reader.channels < 3 ? 1 : 3, std::move(reader.values)};
}

}  // namespace heed
