#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

/// Keeps the most recently used texts, each with a weight, up to a total weight.
class Pantry {
 public:
  explicit Pantry(std::size_t capacity);

  /// Stores a text. False if it can never fit.
  bool put(const std::string& key, const std::string& text, std::size_t weight);

  /// The text of a key, which counts as a use.
  std::optional<std::string> get(const std::string& key);

  /// The text of a key, without counting as a use.
  std::optional<std::string> peek(const std::string& key) const;

  /// Forgets a key. False if it was not there.
  bool remove(const std::string& key);

  /// Changes the capacity.
  void resize(std::size_t capacity);

  /// The keys, most recently used first.
  std::vector<std::string> keys() const;

  std::size_t weight() const;
  std::size_t hits() const;
  std::size_t misses() const;

 private:
  struct Entry {
    std::string key;
    std::string text;
    std::size_t weight;
  };

  void shrink();

  std::size_t capacity_;
  std::size_t weight_ = 0;
  std::size_t hits_ = 0;
  std::size_t misses_ = 0;
  std::list<Entry> entries_;
  std::unordered_map<std::string, std::list<Entry>::iterator> places_;
};
