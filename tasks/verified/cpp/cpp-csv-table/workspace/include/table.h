#pragma once

#include <string>
#include <vector>

#include "reader.h"

/// Rows under the names of their columns.
class Table {
 public:
  /// Reads a text whose first row names the columns.
  static Table parse(const std::string& text);

  const Row& columns() const { return columns_; }
  std::size_t size() const { return rows_.size(); }

  /// A cell. Throws std::out_of_range if there is no such row or column.
  const std::string& cell(std::size_t row, const std::string& column) const;

  /// The sum of a column of whole numbers.
  long sum(const std::string& column) const;

  /// The table as text, which parse() reads back.
  std::string write() const;

 private:
  Row columns_;
  std::vector<Row> rows_;
};
