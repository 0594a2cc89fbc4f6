import { Decimal } from '../../money/money.ts';
import { anyCreditor, expenseAccount, inputKey, isOfOtherState, revenueAccount, type charts } from './accounts.ts';
import type { Document, Payment, Purchase, Sale } from './documents.ts';

// What a document becomes in the books. Only this file says so.

type Chart = (typeof charts)[keyof typeof charts];

export interface Posting {
  /** Debits the account where it is positive, and credits it where it is negative; the contra account the other way round. */
  amount: Decimal;
  account: string;
  contra: string;
  key?: string | undefined;
  currency: string;
  day: string;
  number: string;
  text: string;
  /** The day of supply. */
  supplied?: string | null;
  /** The customer's country and VAT number, where a report to the tax office has them. */
  destination?: string;
  /** The rate of another member state. */
  destinationRate?: string;
}

/** @param home the tenant's country, which customers without one have */
export function postingsOf(document: Document, chart: Chart, home: string): Posting[] {
  const postings = makePostings(document, chart, home);
  return postings.filter(({ amount }) => !amount.isZero());
}

function makePostings(document: Document, chart: Chart, home: string): Posting[] {
  switch (document.kind) {
    case 'sale':
      return postSale(document, chart, home);
    case 'purchase':
      return postPurchase(document, chart);
    default:
      return [postPayment(document, chart)];
  }
}

const common = ({ currency, day, number }: Sale | Purchase | Payment) => ({ currency, day, number: number ?? '' });

function postSale(sale: Sale, chart: Chart, home: string): Posting[] {
  const country = sale.country ?? home;
  return sale.shares.map(({ category, rate, gross }) => ({
    ...common(sale),
    amount: new Decimal(gross),
    account: sale.partner ?? '',
    contra: revenueAccount(chart, category, rate, country),
    text: sale.name ?? '',
    supplied: sale.supplied,
    ...((category === 'K' || category === 'AE') && sale.vatId !== null && { destination: sale.vatId }),
    ...(isOfOtherState(category, rate, country) && { destination: country, destinationRate: rate }),
  }));
}

const postPurchase = (purchase: Purchase, chart: Chart): Posting[] =>
  purchase.shares.map(({ rate, gross }) => ({
    ...common(purchase),
    amount: new Decimal(gross),
    account: expenseAccount(chart, purchase.category),
    contra: purchase.partner ?? anyCreditor,
    key: inputKey(rate),
    text: purchase.text ?? '',
  }));

/** An invoice brings money in. A refund, and what pays a receipt, take it out. */
const postPayment = (payment: Payment, chart: Chart): Posting => ({
  ...common(payment),
  amount: payment.of === 'invoice' ? new Decimal(payment.amount) : new Decimal(payment.amount).negated(),
  account: chart.bank,
  contra: payment.partner ?? anyCreditor,
  text: payment.isReversal ? 'Storno Zahlung' : payment.of === 'credit_note' ? 'Erstattung' : 'Zahlung',
});
