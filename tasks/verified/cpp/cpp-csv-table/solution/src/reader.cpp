#include "reader.h"

ReadError::ReadError(int line, const std::string& problem)
    : std::runtime_error("line " + std::to_string(line) + ": " + problem), line_(line) {}

namespace {

enum class State { kStart, kPlain, kQuoted, kClosed };

}  // namespace

std::vector<Row> read_rows(const std::string& text) {
  std::vector<Row> rows;
  Row row;
  std::string value;
  State state = State::kStart;
  int line = 1;
  int opened = 0;
  bool pending = false;

  auto end_row = [&] {
    row.push_back(value);
    value.clear();
    rows.push_back(row);
    row.clear();
    state = State::kStart;
    pending = false;
  };

  for (std::size_t place = 0; place < text.size(); ++place) {
    char c = text[place];
    if (state == State::kQuoted) {
      if (c == '"' && place + 1 < text.size() && text[place + 1] == '"') {
        value += '"';
        ++place;
      } else if (c == '"') {
        state = State::kClosed;
      } else {
        line += c == '\n';
        value += c;
      }
      continue;
    }
    if (c == '\r' && place + 1 < text.size() && text[place + 1] == '\n') {
      continue;
    }
    if (c == '\n') {
      end_row();
      ++line;
      continue;
    }
    pending = true;
    if (c == ',') {
      row.push_back(value);
      value.clear();
      state = State::kStart;
    } else if (state == State::kClosed) {
      throw ReadError(line, "text after a closing quote");
    } else if (c == '"' && state == State::kPlain) {
      throw ReadError(line, "a quote within a plain value");
    } else if (c == '"') {
      state = State::kQuoted;
      opened = line;
    } else {
      state = State::kPlain;
      value += c;
    }
  }
  if (state == State::kQuoted) {
    throw ReadError(opened, "a quote is never closed");
  }
  if (pending) {
    end_row();
  }
  return rows;
}
