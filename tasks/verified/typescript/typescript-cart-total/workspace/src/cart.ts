import { formatCents, percentOf, toCents } from "./money";

export interface Line {
  sku: string;
  unitCents: number;
  quantity: number;
}

export interface Terms {
  percentOff?: number;
  amountOffCents?: number;
  taxPercent?: number;
  shippingCents?: number;
  freeShippingFromCents?: number;
}

/** All amounts in cents. */
export interface Bill {
  goods: number;
  discount: number;
  tax: number;
  shipping: number;
  total: number;
}

/** A shopping cart. */
export class Cart {
  private readonly content: Line[] = [];

  /** Puts articles into the cart. */
  add(sku: string, price: string, quantity = 1): this {
    const unitCents = toCents(price);
    const known = this.content.find((line) => line.sku === sku);
    if (known === undefined) {
      this.content.push({ sku, unitCents, quantity });
      return this;
    }
    if (known.unitCents !== unitCents) {
      throw new Error(`${sku} is already in the cart at ${formatCents(known.unitCents)}`);
    }
    known.quantity = quantity;
    return this;
  }

  /** The lines, in the order in which their articles were first added. */
  lines(): Line[] {
    return this.content;
  }

  /** What the content costs under the given terms. */
  bill(terms: Terms = {}): Bill {
    const goods = this.content.reduce((sum, line) => sum + line.unitCents * line.quantity, 0);
    const amountOff = terms.amountOffCents ?? 0;
    const percentOff = percentOf(goods - amountOff, terms.percentOff ?? 0);
    const discount = amountOff + percentOff;
    const tax = percentOf(goods, terms.taxPercent ?? 0);
    const free = goods > (terms.freeShippingFromCents ?? Infinity);
    const shipping = free ? 0 : (terms.shippingCents ?? 0);
    return { goods, discount, tax, shipping, total: goods - discount + tax + shipping };
  }
}
