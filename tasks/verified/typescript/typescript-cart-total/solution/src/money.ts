/** Amounts of money as whole cents. */

const PRICE = /^\d+(\.\d{1,2})?$/;

/** Reads a price such as "12", "12.5" or "12.50". */
export function toCents(text: string): number {
  if (!PRICE.test(text)) {
    throw new SyntaxError(`not a price: ${text}`);
  }
  const [units, decimals = ""] = text.split(".");
  return Number(units) * 100 + Number(decimals.padEnd(2, "0"));
}

/** Writes an amount with two decimal places. */
export function formatCents(cents: number): string {
  const size = Math.abs(cents);
  const decimals = String(size % 100).padStart(2, "0");
  return `${cents < 0 ? "-" : ""}${Math.floor(size / 100)}.${decimals}`;
}

/** The given share of an amount, in whole cents; half a cent goes away from zero. */
export function percentOf(cents: number, percent: number): number {
  const product = cents * Math.round(percent * 100);
  const size = Math.abs(product);
  const rest = size % 10000;
  const rounded = (size - rest) / 10000 + (rest >= 5000 ? 1 : 0);
  return product < 0 && rounded > 0 ? -rounded : rounded;
}
