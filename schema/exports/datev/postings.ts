import { Decimal } from '../../money/money.ts';
import {
  anyCreditor,
  expenseAccount,
  inputVatAccount,
  isAutomatic,
  isOfOtherState,
  namedAccount,
  outputVatAccount,
  revenueAccount,
  taxKey,
  withoutAutomatic,
  type charts,
} from './accounts.ts';
import type { BoughtLine, Document, Payment, Purchase, PurchaseDiscount, Sale, SaleDiscount } from './documents.ts';

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
  /** What the bank booked in its account's currency. */
  exchange?: { amount: Decimal; currency: string };
}

/** @param home the tenant's country, which customers without one have */
export function buildPostings(document: Document, chart: Chart, home: string): Posting[] {
  const postings = postDocument(document, chart, home);
  return postings.filter(({ amount }) => !amount.isZero());
}

function postDocument(document: Document, chart: Chart, home: string): Posting[] {
  switch (document.kind) {
    case 'sale':
      return postSale(document, chart, home);
    case 'purchase':
      return postPurchase(document, chart);
    case 'saleDiscount':
      return postSaleDiscount(document, chart);
    case 'purchaseDiscount':
      return postPurchaseDiscount(document, chart);
    default:
      return [postPayment(document, chart)];
  }
}

const common = ({ currency, day, number }: Pick<Document, 'currency' | 'day' | 'number'>) => ({
  currency,
  day,
  number: number ?? '',
});

function postSale(sale: Sale, chart: Chart, home: string): Posting[] {
  const country = sale.country ?? home;
  return sale.shares.flatMap(({ category, rate, ...share }) => {
    const [net, vat] = [new Decimal(share.net), new Decimal(share.vat)];
    const isForeign = isOfOtherState(category, rate, country);
    const contra = revenueAccount(chart, category, rate, country);
    const base = {
      ...common(sale),
      account: sale.partner ?? '',
      contra,
      text: sale.name ?? '',
      supplied: sale.supplied,
      ...((category === 'K' || category === 'AE') && sale.vatId !== null && { destination: sale.vatId }),
      ...(isForeign && { destination: country, destinationRate: rate }),
    };
    const gross = net.plus(vat);
    const key = isAutomatic(chart, contra) ? withoutAutomatic : undefined;
    if (vat.equals(key === undefined ? 0 : vatIn(gross, rate))) return [{ ...base, amount: gross }];
    return [
      { ...base, amount: net, key },
      { ...base, amount: vat, contra: outputVatAccount(chart, rate, isForeign) },
    ];
  });
}

const postPurchase = (purchase: Purchase, chart: Chart): Posting[] =>
  purchase.lines.flatMap((line) => {
    const account = namedAccount(line.account) ?? expenseAccount(chart, purchase.category);
    const base = { ...common(purchase), text: purchase.text ?? line.text ?? '' };
    return postLine(line, chart, { ...base, account, contra: purchase.partner ?? anyCreditor });
  });

const postPurchaseDiscount = (discount: PurchaseDiscount, chart: Chart): Posting[] =>
  discount.lines.flatMap((line) => {
    const base = { ...common(discount), text: 'Skonto', account: chart.cashDiscount.received };
    return postLine(line, chart, { ...base, contra: discount.partner ?? anyCreditor });
  });

/** What can't be deducted is an expense. Where DATEV would compute other VAT than the report has, each part is a posting without a key. */
function postLine(line: BoughtLine, chart: Chart, base: Omit<Posting, 'amount'>): Posting[] {
  const { category, rate } = line;
  const [net, tax, deducted] = [new Decimal(line.net), new Decimal(line.tax), new Decimal(line.deducted)];
  const gross = net.plus(line.vat);
  const isOwedByBuyer = category === 'AE' || category === 'K';
  const key = taxKey(category, rate);
  const computed = isOwedByBuyer ? toCents(net.times(rate).dividedBy(100)) : vatIn(gross, rate);
  if (key !== undefined && deducted.equals(tax) && tax.equals(computed)) return [{ ...base, amount: gross, key }];
  const input = inputVatAccount(chart, category, rate);
  if (!isOwedByBuyer)
    return [
      { ...base, amount: gross.minus(deducted) },
      { ...base, amount: deducted, account: input },
    ];
  const { owed } = chart.vat.byBuyer[category];
  return [
    { ...base, amount: gross },
    { ...base, amount: deducted, account: input, contra: owed },
    { ...base, amount: tax.minus(deducted), contra: owed },
  ];
}

/** A discount lowers revenue and its VAT. */
const postSaleDiscount = (discount: SaleDiscount, chart: Chart): Posting[] =>
  discount.shares.flatMap(({ category, rate, ...share }) => {
    const [net, vat] = [new Decimal(share.net).negated(), new Decimal(share.vat).negated()];
    const gross = net.plus(vat);
    const { granted: account } = chart.cashDiscount;
    const base = { ...common(discount), text: 'Skonto', account, contra: discount.partner ?? '' };
    const key = category === 'S' ? taxKey('output', rate) : undefined;
    if (key !== undefined && vat.equals(vatIn(gross, rate))) return [{ ...base, amount: gross, key }];
    return [
      { ...base, amount: net },
      { ...base, amount: vat, account: outputVatAccount(chart, rate, false) },
    ];
  });

const toCents = (amount: Decimal): Decimal => amount.toDecimalPlaces(2, Decimal.ROUND_HALF_UP);

/** The VAT that DATEV takes out of a gross amount. */
const vatIn = (gross: Decimal, rate: string): Decimal =>
  toCents(gross.times(rate).dividedBy(new Decimal(rate).plus(100)));

/** What settles an invoice brings money in, or is a loss. A refund, and what pays a receipt, are the other way round. */
function postPayment(payment: Payment, chart: Chart): Posting {
  const { of, settles, exchange, isReversal } = payment;
  const isIn = of === 'invoice' && settles !== 'credit_refund';
  const amount = new Decimal(payment.amount);
  const text = settles === 'payment' && of === 'credit_note' ? 'Erstattung' : texts[settles];
  return {
    ...common(payment),
    amount: isIn ? amount : amount.negated(),
    account: accountOfPayment(payment, chart),
    contra: payment.partner ?? anyCreditor,
    text: isReversal ? `Storno ${texts[settles]}` : text,
    ...(exchange && { exchange: { amount: new Decimal(exchange.amount).abs(), currency: exchange.currency } }),
  };
}

function accountOfPayment({ of, settles }: Payment, { bank, loss, gain }: Chart): string {
  switch (settles) {
    case 'fee':
      return loss.fee;
    case 'write_off':
      return of === 'receipt' ? gain : loss.writeOff;
    case 'rounding':
      return of === 'receipt' ? gain : loss.rounding;
    default:
      return bank;
  }
}

const texts: Record<Payment['settles'], string> = {
  payment: 'Zahlung',
  fee: 'Bankgebühr',
  write_off: 'Ausbuchung',
  rounding: 'Rundung',
  overpayment: 'Überzahlung',
  credit_refund: 'Erstattung',
};
