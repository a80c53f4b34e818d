#include "table.h"

#include <gtest/gtest.h>

TEST(TableBasics, PlainRowsAreRead) {
  Table table = Table::parse("name,count\npear,3\nplum,4\n");
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.cell(1, "name"), "plum");
  EXPECT_EQ(table.sum("count"), 7);
}

TEST(TableBasics, EmptyTextHasNoRows) {
  EXPECT_EQ(read_rows("").size(), 0u);
  EXPECT_EQ(Table::parse("").size(), 0u);
}

TEST(TableBasics, UnknownColumnIsRefused) {
  Table table = Table::parse("name\npear\n");
  EXPECT_THROW(table.cell(0, "weight"), std::out_of_range);
}
