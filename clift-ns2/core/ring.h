// A first-in, first-out container in one block of memory, which doubles when it is full.
#pragma once

#include <cstddef>
#include <vector>

namespace clift {

template <class Item>
class Ring {
 public:
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  const Item& front() const { return items_[begin_]; }

  // Adds an item and returns its place, which the next push may move.
  Item& push(const Item& item) {
    return extend() = item;
  }

  // Adds an item of some old value, to be written, and returns its place.
  Item& extend() {
    if (count_ == items_.size()) grow();
    return items_[at(count_++)];
  }

  void pop() {
    begin_ = at(1);
    --count_;
  }

  // Takes the item that was pushed last away.
  void pop_last() { --count_; }

 private:
  static constexpr std::size_t least_places = 16;  // a power of two, as all sizes

  std::size_t at(std::size_t i) const { return (begin_ + i) & (items_.size() - 1); }

  void grow() {
    std::vector<Item> larger(items_.empty() ? least_places : 2 * items_.size());
    for (std::size_t i = 0; i < count_; ++i) larger[i] = items_[at(i)];
    items_.swap(larger);
    begin_ = 0;
  }

  std::vector<Item> items_;
  std::size_t begin_ = 0;
  std::size_t count_ = 0;
};

}  // namespace clift
