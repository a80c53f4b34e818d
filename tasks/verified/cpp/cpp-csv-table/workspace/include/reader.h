#pragma once

#include <stdexcept>
#include <string>
#include <vector>

/// What is wrong with a text, and in which line of it.
class ReadError : public std::runtime_error {
 public:
  ReadError(int line, const std::string& problem);
  int line() const { return line_; }

 private:
  int line_;
};

using Row = std::vector<std::string>;

/// The rows of a text of comma-separated values.
std::vector<Row> read_rows(const std::string& text);
