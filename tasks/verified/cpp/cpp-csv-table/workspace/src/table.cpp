#include "table.h"

#include <algorithm>
#include <stdexcept>

Table Table::parse(const std::string& text) {
  Table table;
  std::vector<Row> rows = read_rows(text);
  if (!rows.empty()) {
    table.columns_ = rows.front();
    table.rows_.assign(rows.begin() + 1, rows.end());
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
    total += std::atol(cell(row, column).c_str());
  }
  return total;
}

std::string Table::write() const {
  std::string text;
  std::vector<Row> all = {columns_};
  all.insert(all.end(), rows_.begin(), rows_.end());
  for (const Row& row : all) {
    for (std::size_t number = 0; number < row.size(); ++number) {
      text += number ? "," + row[number] : row[number];
    }
    text += "\n";
  }
  return text;
}
