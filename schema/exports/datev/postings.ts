import { convert, Decimal } from '../../money/money.ts';
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
import type {
  BoughtLine,
  Document,
  Payment,
  Purchase,
  PurchaseDiscount,
  Rest,
  Sale,
  SaleDiscount,
} from './documents.ts';

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
  /** What it was worth in the books' currency. */
  exchange?: { amount: Decimal; currency: string };
}

interface Home {
  /** The tenant's, which customers without one have. */
  country: string;
  /** That of the books. */
  currency: string;
}

export function buildPostings(document: Document, chart: Chart, home: Home): Posting[] {
  const postings = postDocument(document, chart, home).filter(({ amount }) => !amount.isZero());
  if (document.worth?.currency !== home.currency) return postings;
  return addWorth(postings, document, document.worth).filter((posting) => !isWorthNothing(posting));
}

/** What rounds to nothing in the books' currency changes no account there. */
const isWorthNothing = ({ exchange }: Posting): boolean => exchange?.amount.isZero() ?? false;

/** At the document's rate. What is posted to the partner is together worth as much as its sum. */
function addWorth(
  postings: Posting[],
  { partner }: Pick<Document, 'partner'>,
  { rate, currency }: NonNullable<Document['worth']>,
): Posting[] {
  const worthOf = (amount: Decimal): Decimal => convert(amount, new Decimal(rate), currency);
  const partners = partner ?? anyCreditor;
  let sum = new Decimal(0);
  return postings.map((posting) => {
    if (posting.exchange || posting.currency === currency) return posting;
    const isOfPartner = posting.account === partners || posting.contra === partners;
    const before = isOfPartner ? sum : new Decimal(0);
    const after = before.plus(posting.amount);
    if (isOfPartner) sum = after;
    return { ...posting, exchange: { amount: worthOf(after).minus(worthOf(before)).abs(), currency } };
  });
}

function postDocument(document: Document, chart: Chart, home: Home): Posting[] {
  switch (document.kind) {
    case 'sale':
      return postSale(document, chart, home.country);
    case 'purchase':
      return postPurchase(document, chart);
    case 'saleDiscount':
      return postSaleDiscount(document, chart);
    case 'purchaseDiscount':
      return postPurchaseDiscount(document, chart);
    case 'rest':
      return postRest(document, chart, home);
    default:
      return [postPayment(document, chart, home), ...postDifference(document, chart, home)];
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
function postPayment(payment: Payment, chart: Chart, home: Home): Posting {
  const { of, settles, exchange, settled, worth, isReversal } = payment;
  const atHome = exchange?.currency === home.currency ? exchange.amount : settled;
  const isIn = of === 'invoice' && settles !== 'credit_refund';
  const amount = new Decimal(payment.amount);
  const text = settles === 'payment' && of === 'credit_note' ? 'Erstattung' : texts[settles];
  return {
    ...common(payment),
    amount: isIn ? amount : amount.negated(),
    account: accountOfPayment(payment, chart),
    contra: payment.partner ?? anyCreditor,
    text: isReversal ? `Storno ${texts[settles]}` : text,
    ...(atHome !== null &&
      (exchange?.currency === home.currency || worth?.currency === home.currency) && {
        exchange: { amount: new Decimal(atHome).abs(), currency: home.currency },
      }),
  };
}

/** What a payment gained or lost settles the rest that the partner's account then has in the books' currency. */
function postDifference(payment: Payment, chart: Chart, { currency }: Home): Posting[] {
  const { difference, worth, partner, isReversal } = payment;
  if (difference === null || worth?.currency !== currency) return [];
  const amount = new Decimal(difference);
  return [
    {
      ...common(payment),
      currency,
      amount,
      account: partner ?? anyCreditor,
      contra: amount.isPositive() === isReversal ? chart.exchange.loss : chart.exchange.gain,
      text: isReversal ? 'Storno Kursdifferenz' : 'Kursdifferenz',
    },
  ];
}

function postRest(rest: Rest, chart: Chart, { currency }: Home): Posting[] {
  if (rest.currency !== currency) return [];
  const amount = new Decimal(rest.difference);
  const contra = amount.isPositive() ? chart.exchange.gain : chart.exchange.loss;
  return [{ ...common(rest), amount, account: rest.partner ?? anyCreditor, contra, text: 'Rundung Kurs' }];
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
