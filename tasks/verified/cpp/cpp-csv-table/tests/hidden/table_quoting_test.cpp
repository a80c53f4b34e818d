#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "table.h"

namespace {

std::string problem(const std::string& text) {
  try {
    Table::parse(text);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST(TableQuoting, CommasWithinQuotesBelongToTheValue) {
  Table table = Table::parse("name,place\n\"Lee, Ann\",Rome\n");
  EXPECT_EQ(table.cell(0, "name"), "Lee, Ann");
  EXPECT_EQ(table.cell(0, "place"), "Rome");
}

TEST(TableQuoting, DoubledQuotesStandForOne) {
  EXPECT_EQ(read_rows("\"a \"\"b\"\" c\",\"\"\"\"\n").at(0).at(0), "a \"b\" c");
  EXPECT_EQ(read_rows("\"a \"\"b\"\" c\",\"\"\"\"\n").at(0).at(1), "\"");
}

TEST(TableQuoting, LineBreaksWithinQuotesAreKept) {
  std::vector<Row> rows = read_rows("\"one\r\ntwo\",x\nlast,y\n");
  EXPECT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows.at(0).at(0), "one\r\ntwo");
  EXPECT_EQ(rows.at(1).at(0), "last");
}

TEST(TableQuoting, WindowsLineEndsAreNoPartOfValues) {
  std::vector<Row> rows = read_rows("a,b\r\nc,d\r\n");
  EXPECT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows.at(0).at(1), "b");
  EXPECT_EQ(rows.at(1).at(1), "d");
}

TEST(TableQuoting, EmptyValuesAndLastRowWithoutLineEnd) {
  std::vector<Row> rows = read_rows("a,,\n,\"\"");
  EXPECT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows.at(0).size(), 3u);
  EXPECT_EQ(rows.at(1).size(), 2u);
  EXPECT_EQ(rows.at(1).at(1), "");
}

TEST(TableQuoting, UnclosedQuoteNamesWhereItBegan) {
  EXPECT_EQ(problem("a,b\nc,\"d\ne,f\n"), "line 2: a quote is never closed");
}

TEST(TableQuoting, MisplacedQuotesAreNamed) {
  EXPECT_EQ(problem("a\nb\"c\n"), "line 2: a quote within a plain value");
  EXPECT_EQ(problem("a\n\"x\ny\"z\n"), "line 3: text after a closing quote");
}

TEST(TableQuoting, RowsOfAnotherLengthAreRefused) {
  EXPECT_EQ(problem("a,b\n1,2\n3\n"), "row 2 has 1 values, not 2");
  EXPECT_EQ(problem("a,b,a\n"), "line 1: two columns are named a");
}

TEST(TableQuoting, SumTakesWholeNumbersAlone) {
  Table table = Table::parse("n\n-4\n6x\n");
  std::string said;
  try {
    table.sum("n");
  } catch (const std::invalid_argument& error) {
    said = error.what();
  }
  EXPECT_EQ(said, "row 2: 6x is no whole number");
  EXPECT_EQ(Table::parse("n\n-4\n6\n").sum("n"), 2);
}

TEST(TableQuoting, WrittenTextIsReadBack) {
  Table table = Table::parse("k,v\n\"a,b\",\"say \"\"hi\"\"\"\n\"two\nlines\",plain\n");
  EXPECT_EQ(table.write(), "k,v\n\"a,b\",\"say \"\"hi\"\"\"\n\"two\nlines\",plain\n");
  EXPECT_EQ(Table::parse(table.write()).cell(1, "k"), "two\nlines");
}

TEST(TableQuoting, PlainTextIsWrittenUnquoted) {
  EXPECT_EQ(Table::parse("k,v\na,b c\n").write(), "k,v\na,b c\n");
}
