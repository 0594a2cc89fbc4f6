import type { Day, Timeline } from './timeline.ts';

export const account = { accountIban: 'DE02120300000000202051', currency: 'EUR' };

/** A line of a bank statement. */
export interface Entry {
  amount: string;
  counterpartyName: string;
  counterpartyIban?: string;
  reference: string;
}

/** Adds a bank transaction, as a bank statement would. @returns its id */
export async function bankTransaction(timeline: Timeline, on: Day, entry: Entry): Promise<string> {
  const day = new Date(`${on.toString()}T00:00:00Z`);
  const data = { ...account, ...entry, bookingDate: day, valueDate: day, amountOpen: entry.amount };
  return (await timeline.db.bankTransaction.create({ data })).id;
}

export interface Item {
  title: string;
  quantity: string;
  unit: string;
  unitPriceNet: string;
}

export interface Buyer {
  id: string;
  name: string;
  iban: string;
  tax: Tax;
}

/** The VAT of an item. */
interface Tax {
  vatRate: string;
  vatCategory?: string;
}

export const domestic: Tax = { vatRate: '19' };
/** The buyer owes the tax: a business in another country of the EU (Directive 2006/112/EC, article 196). */
export const reverseCharge: Tax = { vatRate: '0', vatCategory: 'AE' };

/** Issues an invoice. After `paidAfter` days, if given, the money comes and is matched. */
export function invoice(
  timeline: Timeline,
  buyer: Buyer,
  on: Day,
  {
    subject,
    items,
    dueAfter = 14,
    paidAfter,
    part,
  }: {
    subject: string;
    items: Item[];
    dueAfter?: number;
    paidAfter?: number;
    /** The part of the gross total that is paid first, if it isn't paid at once. */
    part?: string;
  },
): void {
  let id = '';
  timeline.on(on, async () => {
    id = await timeline.create('createInvoice', {
      customerId: buyer.id,
      invoiceDate: on.toString(),
      dueDate: on.add({ days: dueAfter }).toString(),
      subject,
      status: 'ISSUED',
      items: items.map((item) => ({ ...item, ...buyer.tax })),
    });
  });
  if (paidAfter !== undefined) moneyIn(timeline, buyer, on.add({ days: paidAfter }), () => id, part);
}

/** Adds the payment of an invoice, and matches it. */
export function moneyIn(timeline: Timeline, buyer: Buyer, on: Day, idOf: () => string, part?: string): void {
  timeline.on(on, async () => {
    const invoiceId = idOf();
    const { number, amountDue } = await timeline.ask<{ number: string; amountDue: string }>('invoice', {
      id: invoiceId,
    });
    const id = await bankTransaction(timeline, on, {
      amount: part ?? amountDue,
      counterpartyName: buyer.name,
      counterpartyIban: buyer.iban,
      reference: `Invoice ${number}`,
    });
    await timeline.ask('match', { id, matches: [{ type: 'INVOICE', id: invoiceId }] });
  });
}

/** Books a receipt. After `paidAfter` days, if given, it is paid and matched. */
export function receipt(
  timeline: Timeline,
  supplier: { id: string; name: string; iban: string },
  on: Day,
  {
    paidAfter,
    ...input
  }: {
    amountGross: string;
    vatRate: string;
    category: string;
    receiptNumber: string;
    description?: string;
    paidAfter?: number;
  },
): void {
  let id = '';
  timeline.on(on, async () => {
    const receiptDate = on.toString();
    const dueDate = on.add({ days: 14 }).toString();
    id = await timeline.create('createReceipt', {
      ...input,
      supplierId: supplier.id,
      receiptDate,
      dueDate,
      status: 'BOOKED',
    });
  });
  if (paidAfter === undefined) return;
  const paidOn = on.add({ days: paidAfter });
  timeline.on(paidOn, async () => {
    const transaction = await bankTransaction(timeline, paidOn, {
      amount: `-${input.amountGross}`,
      counterpartyName: supplier.name,
      counterpartyIban: supplier.iban,
      reference: input.receiptNumber,
    });
    await timeline.ask('match', { id: transaction, matches: [{ type: 'RECEIPT', id }] });
  });
}
