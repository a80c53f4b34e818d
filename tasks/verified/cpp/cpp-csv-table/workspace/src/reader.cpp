#include "reader.h"

#include <sstream>

ReadError::ReadError(int line, const std::string& problem)
    : std::runtime_error("line " + std::to_string(line) + ": " + problem), line_(line) {}

std::vector<Row> read_rows(const std::string& text) {
  std::vector<Row> rows;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    Row row;
    std::string value;
    for (char c : line) {
      if (c == ',') {
        row.push_back(value);
        value.clear();
      } else {
        value += c;
      }
    }
    row.push_back(value);
    rows.push_back(row);
  }
  return rows;
}
