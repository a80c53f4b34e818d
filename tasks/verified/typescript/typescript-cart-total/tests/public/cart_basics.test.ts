import { describe, expect, test } from "vitest";
import { Cart } from "../../src/cart";
import { formatCents, percentOf, toCents } from "../../src/money";

describe("money", () => {
  test("whole prices are read as cents", () => {
    expect(toCents("12")).toBe(1200);
    expect(toCents("0.5")).toBe(50);
  });

  test("text that is no price is refused", () => {
    expect(() => toCents("12,50")).toThrow("not a price: 12,50");
  });

  test("even shares need no rounding", () => {
    expect(percentOf(2000, 15)).toBe(300);
    expect(formatCents(1234)).toBe("12.34");
  });
});

describe("cart", () => {
  test("different articles are summed", () => {
    const cart = new Cart().add("tea", "4.50", 2).add("mug", "8");
    expect(cart.bill()).toEqual({ goods: 1700, discount: 0, tax: 0, shipping: 0, total: 1700 });
  });

  test("a second price for an article is refused", () => {
    const cart = new Cart().add("tea", "4.50");
    expect(() => cart.add("tea", "5")).toThrow("tea is already in the cart at 4.50");
  });

  test("small orders pay for shipping", () => {
    const bill = new Cart().add("tea", "4.50").bill({ shippingCents: 390, freeShippingFromCents: 2000 });
    expect(bill).toEqual({ goods: 450, discount: 0, tax: 0, shipping: 390, total: 840 });
  });
});
