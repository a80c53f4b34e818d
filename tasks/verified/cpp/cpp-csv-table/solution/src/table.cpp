#include "table.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace {

std::string quoted(const std::string& value) {
  if (value.find_first_of(",\"\r\n") == std::string::npos) {
    return value;
  }
  std::string text = "\"";
  for (char c : value) {
    text += c == '"' ? "\"\"" : std::string(1, c);
  }
  return text + "\"";
}

}  // namespace

Table Table::parse(const std::string& text) {
  Table table;
  std::vector<Row> rows = read_rows(text);
  if (rows.empty()) {
    return table;
  }
  table.columns_ = rows.front();
  for (std::size_t number = 0; number < table.columns_.size(); ++number) {
    auto end = table.columns_.begin() + number;
    if (std::find(table.columns_.begin(), end, *end) != end) {
      throw ReadError(1, "two columns are named " + *end);
    }
  }
  for (std::size_t number = 1; number < rows.size(); ++number) {
    if (rows[number].size() != table.columns_.size()) {
      throw std::invalid_argument("row " + std::to_string(number) + " has " + std::to_string(rows[number].size()) +
                                  " values, not " + std::to_string(table.columns_.size()));
    }
    table.rows_.push_back(rows[number]);
  }
  return table;
}

const std::string& Table::cell(std::size_t row, const std::string& column) const {
  auto found = std::find(columns_.begin(), columns_.end(), column);
  if (found == columns_.end()) {
    throw std::out_of_range("no column " + column);
  }
  return rows_.at(row).at(found - columns_.begin());
}

long Table::sum(const std::string& column) const {
  long total = 0;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const std::string& value = cell(row, column);
    long number = 0;
    auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size()) {
      throw std::invalid_argument("row " + std::to_string(row + 1) + ": " + value + " is no whole number");
    }
    total += number;
  }
  return total;
}

std::string Table::write() const {
  std::string text;
  std::vector<Row> all = {columns_};
  all.insert(all.end(), rows_.begin(), rows_.end());
  for (const Row& row : all) {
    for (std::size_t number = 0; number < row.size(); ++number) {
      text += number ? "," + quoted(row[number]) : quoted(row[number]);
    }
    text += "\n";
  }
  return text;
}
