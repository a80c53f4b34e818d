import { describe, expect, test } from "vitest";
import { Cart } from "../../src/cart";
import { formatCents, percentOf, toCents } from "../../src/money";

describe("money repaired", () => {
  test("prices with cents lose nothing", () => {
    expect([toCents("19.99"), toCents("1.1"), toCents("4.35"), toCents("1.15")]).toEqual([1999, 110, 435, 115]);
  });

  test("amounts are printed with sign and zeros", () => {
    expect([1205, 5, 0, -5, -1250, 100].map((cents) => formatCents(cents))).toEqual([
      "12.05",
      "0.05",
      "0.00",
      "-0.05",
      "-12.50",
      "1.00",
    ]);
  });

  test("half a cent moves away from zero", () => {
    expect([percentOf(150, 1), percentOf(149, 1), percentOf(-150, 1), percentOf(-149, 1)]).toEqual([2, 1, -2, -1]);
    expect(percentOf(1000, 1.15)).toBe(12);
    expect(percentOf(10000, 8.25)).toBe(825);
  });
});

describe("cart repaired", () => {
  test("more of a known article adds up", () => {
    const cart = new Cart().add("tea", "4", 2).add("mug", "8").add("tea", "4", 3);
    expect(cart.lines()).toEqual([
      { sku: "tea", unitCents: 400, quantity: 5 },
      { sku: "mug", unitCents: 800, quantity: 1 },
    ]);
  });

  test("changing listed lines leaves the cart alone", () => {
    const cart = new Cart().add("tea", "4", 2);
    const lines = cart.lines();
    lines[0].quantity = 99;
    lines.pop();
    expect(cart.lines()).toEqual([{ sku: "tea", unitCents: 400, quantity: 2 }]);
    expect(cart.bill().goods).toBe(800);
  });

  test("bad quantities never enter the cart", () => {
    const cart = new Cart().add("tea", "4", 2);
    for (const quantity of [0, -1, 1.5]) {
      expect(() => cart.add("tea", "4", quantity)).toThrow(
        new RangeError(`quantity of tea must be a whole number of at least 1, got ${quantity}`),
      );
    }
    expect(cart.lines()).toEqual([{ sku: "tea", unitCents: 400, quantity: 2 }]);
  });

  test("percentage goes first and the amount stops at nothing", () => {
    const cart = new Cart().add("lamp", "30");
    expect(cart.bill({ percentOff: 10, amountOffCents: 500 })).toEqual({
      goods: 3000,
      discount: 800,
      tax: 0,
      shipping: 0,
      total: 2200,
    });
    expect(cart.bill({ percentOff: 50, amountOffCents: 9900 })).toEqual({
      goods: 3000,
      discount: 3000,
      tax: 0,
      shipping: 0,
      total: 0,
    });
  });

  test("tax follows the discounted goods", () => {
    const bill = new Cart().add("lamp", "30").bill({ amountOffCents: 1000, taxPercent: 20, shippingCents: 500 });
    expect(bill).toEqual({ goods: 3000, discount: 1000, tax: 400, shipping: 500, total: 2900 });
  });

  test("free shipping starts at the threshold after discount", () => {
    const cart = new Cart().add("lamp", "30");
    const terms = { shippingCents: 500, freeShippingFromCents: 3000 };
    expect(cart.bill(terms).shipping).toBe(0);
    expect(cart.bill({ ...terms, amountOffCents: 1 }).shipping).toBe(500);
  });

  test("nothing in the cart costs nothing", () => {
    expect(new Cart().bill({ shippingCents: 500, amountOffCents: 700, percentOff: 5, taxPercent: 20 })).toEqual({
      goods: 0,
      discount: 0,
      tax: 0,
      shipping: 0,
      total: 0,
    });
  });
});
