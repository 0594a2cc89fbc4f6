import type { Day, Diary } from './diary.ts';

const account = { accountIban: 'DE02120300000000202051', currency: 'EUR' };

/** A line of a bank statement. */
export interface Entry {
  amount: string;
  counterpartyName: string;
  counterpartyIban?: string;
  reference: string;
}

/** Enters a bank transaction, as a statement would bring it. @returns its id */
export async function bankTransaction(diary: Diary, on: Day, entry: Entry): Promise<string> {
  const day = new Date(`${on.toString()}T00:00:00Z`);
  const data = { ...account, ...entry, bookingDate: day, valueDate: day, amountOpen: entry.amount };
  return (await diary.db.bankTransaction.create({ data })).id;
}

export interface Item {
  title: string;
  quantity: string;
  unit: string;
  unitPriceNet: string;
  vatRate: string;
}

export interface Buyer {
  id: string;
  name: string;
  iban: string;
  /** 0 where the buyer owes the tax: another country of the EU (Directive 2006/112/EC, article 196). */
  vatRate: string;
}

/** Issues an invoice; where `paidAfter` says so, the money comes so many days later, and is matched. */
export function invoice(
  diary: Diary,
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
    items: Omit<Item, 'vatRate'>[];
    dueAfter?: number;
    paidAfter?: number;
    /** Of the gross total, where not all of it is paid at once. */
    part?: string;
  },
): void {
  let id = '';
  diary.on(on, async () => {
    id = await diary.create('createInvoice', {
      customerId: buyer.id,
      invoiceDate: on.toString(),
      dueDate: on.add({ days: dueAfter }).toString(),
      subject,
      status: 'ISSUED',
      items: items.map((item) => ({ vatRate: buyer.vatRate, ...item })),
    });
  });
  if (paidAfter !== undefined) moneyIn(diary, buyer, on.add({ days: paidAfter }), () => id, part);
}

/** The money for an invoice comes, and is matched with it. */
export function moneyIn(diary: Diary, buyer: Buyer, on: Day, idOf: () => string, part?: string): void {
  diary.on(on, async () => {
    const invoiceId = idOf();
    const { number, amountDue } = await diary.ask<{ number: string; amountDue: string }>('invoice', { id: invoiceId });
    const id = await bankTransaction(diary, on, {
      amount: part ?? amountDue,
      counterpartyName: buyer.name,
      counterpartyIban: buyer.iban,
      reference: `Invoice ${number}`,
    });
    await diary.ask('match', { id, matches: [{ type: 'INVOICE', id: invoiceId }] });
  });
}

/** Books a receipt; where `paidAfter` says so, the money leaves so many days later, and is matched. */
export function receipt(
  diary: Diary,
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
  diary.on(on, async () => {
    const receiptDate = on.toString();
    const dueDate = on.add({ days: 14 }).toString();
    id = await diary.create('createReceipt', {
      ...input,
      supplierId: supplier.id,
      receiptDate,
      dueDate,
      status: 'BOOKED',
    });
  });
  if (paidAfter === undefined) return;
  const paidOn = on.add({ days: paidAfter });
  diary.on(paidOn, async () => {
    const transaction = await bankTransaction(diary, paidOn, {
      amount: `-${input.amountGross}`,
      counterpartyName: supplier.name,
      counterpartyIban: supplier.iban,
      reference: input.receiptNumber,
    });
    await diary.ask('match', { id: transaction, matches: [{ type: 'RECEIPT', id }] });
  });
}
