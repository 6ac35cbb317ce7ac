// A first-in, first-out container in one block of memory, which doubles when it is full.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace clift {

template <class Item>
class Ring {
 public:
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  const Item& front() const { return *front_; }

  void push(const Item& item) { extend() = item; }

  // Adds an item of some old value, to be written, and returns its place, which the next one may move.
  Item& extend() {
    if (count_ == places_) grow();
    ++count_;
    return *std::exchange(back_, after(back_));
  }

  void pop() {
    front_ = after(front_);
    --count_;
  }

  // Takes the item that was pushed last away.
  void pop_last() {
    back_ = std::prev(back_ == items_.begin() ? items_.end() : back_);
    --count_;
  }

 private:
  using Place = typename std::vector<Item>::iterator;

  static constexpr std::size_t least_places = 16;

  Place after(Place place) { return ++place == items_.end() ? items_.begin() : place; }

  void grow() {
    places_ = places_ == 0 ? least_places : 2 * places_;
    std::vector<Item> larger(places_);
    back_ = larger.begin();
    for (Place item = front_; back_ != larger.begin() + count_; item = after(item)) *back_++ = *item;
    items_.swap(larger);
    front_ = items_.begin();
  }

  std::vector<Item> items_;
  std::size_t places_ = 0;  // their number, which the vector would divide to tell
  std::size_t count_ = 0;
  Place front_, back_;      // the first item, and the place of the next one
};

}  // namespace clift
