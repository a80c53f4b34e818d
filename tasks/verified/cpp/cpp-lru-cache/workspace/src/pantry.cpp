#include "pantry.h"

Pantry::Pantry(std::size_t capacity) : capacity_(capacity) {}

bool Pantry::put(const std::string& key, const std::string& text, std::size_t weight) {
  auto found = places_.find(key);
  if (found != places_.end()) {
    found->second->text = text;
    return true;
  }
  entries_.push_front({key, text, weight});
  places_[key] = entries_.begin();
  weight_ += weight;
  shrink();
  return true;
}

std::optional<std::string> Pantry::get(const std::string& key) {
  auto found = places_.find(key);
  if (found == places_.end()) {
    return std::nullopt;
  }
  ++hits_;
  return found->second->text;
}

std::optional<std::string> Pantry::peek(const std::string& key) const {
  auto found = places_.find(key);
  if (found == places_.end()) {
    return std::nullopt;
  }
  return found->second->text;
}

bool Pantry::remove(const std::string& key) {
  auto found = places_.find(key);
  if (found == places_.end()) {
    return false;
  }
  entries_.erase(found->second);
  places_.erase(found);
  return true;
}

void Pantry::resize(std::size_t capacity) { capacity_ = capacity; }

std::vector<std::string> Pantry::keys() const {
  std::vector<std::string> found;
  for (const Entry& entry : entries_) {
    found.push_back(entry.key);
  }
  return found;
}

std::size_t Pantry::weight() const { return weight_; }

std::size_t Pantry::hits() const { return hits_; }

std::size_t Pantry::misses() const { return misses_; }

void Pantry::shrink() {
  while (weight_ > capacity_ && entries_.size() > 1) {
    weight_ -= entries_.back().weight;
    places_.erase(entries_.back().key);
    entries_.pop_back();
  }
}
