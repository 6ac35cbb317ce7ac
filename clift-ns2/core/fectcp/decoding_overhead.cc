#include "core/fectcp/decoding_overhead.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace clift::fectcp {

namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw std::invalid_argument(text + " is not an overhead; allowed is a share such as 5%, or SYMBOLS:WEIGHT,... with rising symbols");
}

double number(const std::string& word, const std::string& text) {
  std::size_t end = 0;
  double value = -1.0;
  try {
    value = std::stod(word, &end);
  } catch (const std::logic_error&) {
    refuse(text);
  }
  if (end != word.size() || !std::isfinite(value) || value < 0.0) refuse(text);
  return value;
}

}  // namespace

DecodingOverhead DecodingOverhead::parse(const std::string& text) {
  DecodingOverhead overhead;
  if (!text.empty() && text.back() == '%') {
    overhead.share_ = number(text.substr(0, text.size() - 1), text) / 100.0;
    return overhead;
  }
  std::istringstream stream(text);
  double total = 0.0;
  for (std::string pair; std::getline(stream, pair, ',');) {
    const std::size_t colon = pair.find(':');
    if (colon == std::string::npos) refuse(text);
    const double symbols = number(pair.substr(0, colon), text);
    const double weight = number(pair.substr(colon + 1), text);
    const bool rises = overhead.cumulative_.empty() || symbols > static_cast<double>(overhead.cumulative_.back().first);
    if (symbols != std::floor(symbols) || symbols > 1e9 || weight == 0.0 || !rises) refuse(text);
    total += weight;
    overhead.cumulative_.emplace_back(static_cast<std::int64_t>(symbols), total);
  }
  if (overhead.cumulative_.empty()) refuse(text);
  return overhead;
}

std::int64_t DecodingOverhead::draw(std::int64_t source_symbols, double uniform) const {
  if (cumulative_.empty()) return likely_beyond(source_symbols, -1);
  const double wanted = uniform * cumulative_.back().second;
  for (const auto& [symbols, below] : cumulative_) {
    if (wanted < below) return symbols;
  }
  return cumulative_.back().first;
}

std::int64_t DecodingOverhead::likely_beyond(std::int64_t source_symbols, std::int64_t spent) const {
  if (cumulative_.empty()) {
    // 5 % of 100 symbols must be 5 in spite of binary rounding.
    const double exact = share_ * static_cast<double>(source_symbols);
    return std::max(static_cast<std::int64_t>(std::ceil(exact - 1e-9)), spent + 1);
  }
  double excluded = 0.0;
  for (const auto& [symbols, below] : cumulative_) {
    if (symbols <= spent) {
      excluded = below;
    } else if (below - excluded >= 0.5 * (cumulative_.back().second - excluded)) {
      return symbols;
    }
  }
  return spent + 1;  // beyond the measured distribution
}

}  // namespace clift::fectcp
