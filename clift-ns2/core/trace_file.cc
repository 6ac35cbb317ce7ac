#include "core/trace_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>

#include "core/input_error.h"
#include "core/npy.h"
#include "core/text.h"

namespace clift {

namespace {

using namespace schema;

std::string filled_for(const char* text, const char* column, std::int64_t value, std::int64_t bound) {
  const std::string limit = std::to_string(bound);
  return filled(text, {{"column", column},
                       {"value", std::to_string(value)},
                       {"minimum", limit},
                       {"maximum", limit},
                       {"previous", limit},
                       {"null", std::to_string(unsettled)}});
}

// The fault of a value outside the bounds of its column, if any.
std::optional<std::string> defect_of_range(const char* column, std::int64_t value, std::int64_t least,
                                           std::int64_t most) {
  if (value < least) return filled_for(refusal::below_minimum, column, value, least);
  if (value > most) return filled_for(refusal::above_maximum, column, value, most);
  return std::nullopt;
}

// The fault of a transmission time, if any; `previous` is the row before, or null for the first one.
template <class Row>
std::optional<std::string> defect_of_tx(const Row& row, const Row* previous) {
  const std::int64_t tx = row.tx_time_ns;
  if (auto defect = defect_of_range("tx_time_ns", tx, Row::min_tx_time_ns, Row::max_tx_time_ns)) return defect;
  if (previous != nullptr && tx <= previous->tx_time_ns) {
    const auto text = tx == previous->tx_time_ns ? refusal::repeated : refusal::not_sorted;
    return filled_for(text, "tx_time_ns", tx, previous->tx_time_ns);
  }
  return std::nullopt;
}

std::optional<std::string> defect_of_fate(const LinkRow& row) {
  const std::int64_t delay = row.delay_ns;
  if (delay < LinkRow::min_delay_ns && delay != unsettled) {
    return filled_for(refusal::below_minimum_or_null, "delay_ns", delay, LinkRow::min_delay_ns);
  }
  if (delay > LinkRow::max_delay_ns) {
    return filled_for(refusal::above_maximum, "delay_ns", delay, LinkRow::max_delay_ns);
  }
  if (row.delivered > 1) return filled_for(refusal::not_flag, "delivered", row.delivered, 0);
  if (row.transmissions < LinkRow::min_transmissions) {
    return filled_for(refusal::below_minimum, "transmissions", row.transmissions, LinkRow::min_transmissions);
  }
  if (row.delivered == 1 && delay == unsettled) return refusal::delivered_without_delay;
  return std::nullopt;
}

std::optional<std::string> defect_of_fate(const PhyRow& row) {
  return defect_of_range("decode_time_ns", row.decode_time_ns, PhyRow::min_decode_time_ns, PhyRow::max_decode_time_ns);
}

// Form of the rows with this dtype, or null.
template <class Row>
const RowForm* form_of(std::string_view descr) {
  const auto found = std::find_if(std::begin(Row::forms), std::end(Row::forms),
                                  [&](const RowForm& form) { return descr == form.descr; });
  return found == std::end(Row::forms) ? nullptr : found;
}

// Name of the table with this dtype, or null.
const char* kind_of(std::string_view descr) {
  if (form_of<PhyRow>(descr) != nullptr) return PhyRow::kind;
  if (form_of<LinkRow>(descr) != nullptr) return LinkRow::kind;
  if (descr == PacketRecord::descr) return PacketRecord::kind;
  if (descr == WindowRecord::descr) return WindowRecord::kind;
  if (descr == RttRow::descr) return RttRow::kind;
  return nullptr;
}

}  // namespace

template <class Row>
TraceFile<Row>::TraceFile(const std::string& path) : path_(path) {
  map();
  try {
    locate_rows();
    check_rows();
  } catch (...) {
    munmap(memory_, size_);
    throw;
  }
}

template <class Row>
TraceFile<Row>::~TraceFile() { munmap(memory_, size_); }

template <class Row>
void TraceFile<Row>::map() {
  const int descriptor = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw InputError(path_, std::strerror(errno));
  struct stat status;
  const bool regular = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  size_ = regular ? static_cast<std::size_t>(status.st_size) : 0;
  if (size_ > 0) memory_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int error = errno;
  close(descriptor);
  if (!regular) throw InputError(path_, "this is not a regular file");
  if (size_ == 0) throw InputError(path_, refusal::empty_file);
  if (memory_ == MAP_FAILED) throw InputError(path_, std::strerror(error));
}

template <class Row>
void TraceFile<Row>::locate_rows() {
  const std::string_view file(static_cast<const char*>(memory_), size_);
  const auto parsed = parse_npy_header(file);
  if (const auto* reason = std::get_if<std::string>(&parsed)) throw InputError(path_, *reason);
  const NpyHeader& header = std::get<NpyHeader>(parsed);

  const char* kind = kind_of(header.descr);
  if (kind == nullptr) {
    throw InputError(path_, filled(refusal::columns, {{"kind", Row::kind}, {"columns", Row::columns}}));
  }
  if (kind != Row::kind) {
    throw InputError(path_, filled(refusal::other_kind, {{"found", kind}, {"kind", Row::kind}}));
  }
  if (header.rows < 0) throw InputError(path_, refusal::npy_shape);
  const RowForm& form = *form_of<Row>(header.descr);
  const std::size_t held_bytes = size_ - header.data_offset, held = held_bytes / form.bytes;
  const std::size_t promised = static_cast<std::size_t>(header.rows);
  if (held < promised) {
    throw InputError(path_, filled(refusal::truncated,
                                   {{"promised", std::to_string(promised)}, {"held", std::to_string(held)}}));
  }
  if (const std::size_t extra = held_bytes - promised * form.bytes; extra > 0) {
    throw InputError(path_, filled(refusal::trailing_bytes, {{"extra", std::to_string(extra)}}));
  }
  if (promised == 0) throw InputError(path_, refusal::no_rows);
  rows_ = {file.data() + header.data_offset, promised, form};
}

template <class Row>
void TraceFile<Row>::check_rows() const {
  for (std::size_t i = 0; i < rows_.count; ++i) {
    const auto check = [this, i](const std::optional<std::string>& defect) {
      if (defect) throw InputError(path_, i + 1, *defect);
    };
    check(defect_of_tx(rows_[i], i > 0 ? &rows_[i - 1] : nullptr));
    check(defect_of_fate(rows_[i]));
    if (rows_.have_sizes()) {
      check(defect_of_range("size_bytes", rows_.size_bytes(i), Row::min_size_bytes, Row::max_size_bytes));
    }
    if (rows_.have_es_n0()) {
      check(defect_of_range("es_n0_mdb", rows_.es_n0_mdb(i), PhyRow::min_es_n0_mdb, PhyRow::max_es_n0_mdb));
    }
  }
}

template class TraceFile<LinkRow>;
template class TraceFile<PhyRow>;

}  // namespace clift
