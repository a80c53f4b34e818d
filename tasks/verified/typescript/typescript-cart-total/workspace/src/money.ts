/** Amounts of money as whole cents. */

const PRICE = /^\d+(\.\d{1,2})?$/;

/** Reads a price such as "12", "12.5" or "12.50". */
export function toCents(text: string): number {
  if (!PRICE.test(text)) {
    throw new SyntaxError(`not a price: ${text}`);
  }
  return Math.trunc(Number(text) * 100);
}

/** Writes an amount with two decimal places. */
export function formatCents(cents: number): string {
  const units = Math.trunc(cents / 100);
  return `${units}.${cents % 100}`;
}

/** The given share of an amount, in whole cents. */
export function percentOf(cents: number, percent: number): number {
  return Math.floor((cents * percent) / 100);
}
