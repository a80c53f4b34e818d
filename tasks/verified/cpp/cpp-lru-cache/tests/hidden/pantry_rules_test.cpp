#include <gtest/gtest.h>

#include <string>

#include "pantry.h"

namespace {

std::string order(const Pantry& pantry) {
  std::string joined;
  for (const std::string& key : pantry.keys()) {
    joined += joined.empty() ? key : "," + key;
  }
  return joined;
}

}  // namespace

TEST(PantryRules, ReadingMovesKeyToFront) {
  Pantry pantry(3);
  pantry.put("oat", "x", 1);
  pantry.put("rye", "y", 1);
  pantry.put("fig", "z", 1);
  pantry.get("oat");
  EXPECT_EQ(order(pantry), "oat,fig,rye");
  pantry.put("nut", "w", 1);
  EXPECT_EQ(order(pantry), "nut,oat,fig");
}

TEST(PantryRules, PeekingChangesNothing) {
  Pantry pantry(2);
  pantry.put("oat", "x", 1);
  pantry.put("rye", "y", 1);
  pantry.peek("oat");
  EXPECT_EQ(order(pantry), "rye,oat");
  EXPECT_EQ(pantry.hits(), 0u);
  EXPECT_EQ(pantry.misses(), 0u);
}

TEST(PantryRules, ReplacingTakesNewWeight) {
  Pantry pantry(10);
  pantry.put("oat", "x", 4);
  pantry.put("rye", "y", 1);
  EXPECT_TRUE(pantry.put("oat", "longer", 7));
  EXPECT_EQ(pantry.weight(), 8u);
  EXPECT_EQ(order(pantry), "oat,rye");
  EXPECT_EQ(pantry.peek("oat").value_or(""), "longer");
}

TEST(PantryRules, ReplacingEvictsOthersNotItself) {
  Pantry pantry(10);
  pantry.put("oat", "x", 2);
  pantry.put("rye", "y", 5);
  pantry.put("oat", "heavy", 6);
  EXPECT_EQ(order(pantry), "oat");
  EXPECT_EQ(pantry.weight(), 6u);
}

TEST(PantryRules, TooHeavyIsRefusedAndChangesNothing) {
  Pantry pantry(5);
  pantry.put("oat", "x", 3);
  EXPECT_FALSE(pantry.put("rye", "y", 6));
  EXPECT_FALSE(pantry.put("oat", "changed", 6));
  EXPECT_EQ(pantry.peek("oat").value_or(""), "x");
  EXPECT_EQ(order(pantry), "oat");
  EXPECT_EQ(pantry.weight(), 3u);
}

TEST(PantryRules, RemovingGivesWeightBack) {
  Pantry pantry(5);
  pantry.put("oat", "x", 3);
  pantry.put("rye", "y", 2);
  EXPECT_TRUE(pantry.remove("oat"));
  EXPECT_EQ(pantry.weight(), 2u);
  pantry.put("fig", "z", 3);
  EXPECT_EQ(order(pantry), "fig,rye");
}

TEST(PantryRules, SmallerCapacityEvictsAtOnce) {
  Pantry pantry(6);
  pantry.put("oat", "x", 2);
  pantry.put("rye", "y", 2);
  pantry.put("fig", "z", 2);
  pantry.resize(3);
  EXPECT_EQ(order(pantry), "fig");
  pantry.resize(0);
  EXPECT_EQ(order(pantry), "");
  EXPECT_EQ(pantry.weight(), 0u);
}

TEST(PantryRules, FailedReadsAreCounted) {
  Pantry pantry(6);
  pantry.put("oat", "x", 2);
  pantry.get("oat");
  pantry.get("rye");
  pantry.get("fig");
  EXPECT_EQ(pantry.hits(), 1u);
  EXPECT_EQ(pantry.misses(), 2u);
}

TEST(PantryRules, WeightlessEntriesStay) {
  Pantry pantry(1);
  pantry.put("air", "", 0);
  pantry.put("oat", "x", 1);
  pantry.put("sky", "", 0);
  EXPECT_EQ(order(pantry), "sky,oat,air");
  EXPECT_EQ(pantry.weight(), 1u);
}
