#include "pantry.h"

#include <gtest/gtest.h>

TEST(PantryBasics, StoredTextIsFound) {
  Pantry pantry(10);
  EXPECT_TRUE(pantry.put("tea", "green", 2));
  EXPECT_EQ(pantry.get("tea").value_or("none"), "green");
  EXPECT_EQ(pantry.weight(), 2u);
}

TEST(PantryBasics, UnknownKeyHasNoText) {
  Pantry pantry(10);
  EXPECT_EQ(pantry.peek("tea").value_or("none"), "none");
  EXPECT_FALSE(pantry.remove("tea"));
}

TEST(PantryBasics, OldestLeavesWhenFull) {
  Pantry pantry(4);
  pantry.put("a", "1", 2);
  pantry.put("b", "2", 2);
  pantry.put("c", "3", 1);
  EXPECT_EQ(pantry.keys().size(), 2u);
  EXPECT_EQ(pantry.peek("a").value_or("gone"), "gone");
}
