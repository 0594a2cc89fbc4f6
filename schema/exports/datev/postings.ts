import { getVatCountry, getVatNumberAbroad, vatPrefix } from '../../codes/vat-territory.ts';
import { convert, Decimal } from '../../money/money.ts';
import { isOwnInputVat } from '../../resources/report/vat-boxes.ts';
import {
  anyCreditor,
  expenseAccount,
  home,
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

// The postings of each document. Only this file says how a document is posted.

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
  /** Its worth in the books' currency. */
  exchange?: { amount: Decimal; currency: string };
}

interface Home {
  /** The tenant's, which customers without one have. */
  country: string;
  /** That of the books. */
  currency: string;
}

export function buildPostings(document: Document, chart: Chart, at: Home): Posting[] {
  const isAtHome = document.worth?.currency === at.currency;
  return postDocument(document, chart, { ...at, isAtHome }).filter(
    // An amount that rounds to zero in the books' currency changes no account there.
    ({ amount, exchange }) => !amount.isZero() && !(isAtHome && exchange?.amount.isZero()),
  );
}

/** How the amounts of a document are posted: whether it has a rate into the books' currency. */
interface Books extends Home {
  isAtHome: boolean;
}

function postDocument(document: Document, chart: Chart, books: Books): Posting[] {
  switch (document.kind) {
    case 'sale':
      return postSale(document, chart, books);
    case 'purchase':
      return postPurchase(document, chart, books);
    case 'saleDiscount':
      return postSaleDiscount(document, chart, books);
    case 'purchaseDiscount':
      return postPurchaseDiscount(document, chart, books);
    case 'rest':
      return postRest(document, chart, books);
    default:
      return [postPayment(document, chart, books), ...postDifference(document, chart, books)];
  }
}

/** Amounts of a document, and what they are in the books' currency: the same where it has no rate into that. */
type Both<Name extends string> = Record<'own' | 'books', Record<Name, Decimal>>;

function readBoth<Name extends string>(
  amounts: Record<Name, string> & { home: Record<Name, string> },
  names: readonly Name[],
  { isAtHome }: Books,
): Both<Name> {
  const read = (of: Record<Name, string>) =>
    Object.fromEntries(names.map((name) => [name, new Decimal(of[name])])) as Record<Name, Decimal>;
  return { own: read(amounts), books: read(isAtHome ? amounts.home : amounts) };
}

/**
 * A posting of an amount of a document that is so much in the books' currency. Where the document's amount has rounded to nothing,
 * it is posted in the books' currency.
 */
function post<Name extends string>(
  base: Omit<Posting, 'amount'>,
  amounts: Both<Name>,
  find: (of: Record<Name, Decimal>) => Decimal,
  { isAtHome, currency }: Books,
): Posting {
  const [amount, worth] = [find(amounts.own), find(amounts.books)];
  if (!isAtHome) return { ...base, amount };
  if (amount.times(worth).isPositive() && !amount.isZero())
    return { ...base, amount, exchange: { amount: worth.abs(), currency } };
  return { ...base, amount: worth, currency };
}

const common = ({ currency, day, number }: Pick<Document, 'currency' | 'day' | 'number'>) => ({
  currency,
  day,
  number: number ?? '',
});

const computeGross = ({ net, vat }: Record<'net' | 'vat', Decimal>): Decimal => net.plus(vat);

/** Whether reports of sales within the EU have such a sale. */
const isWithinEu = (category: string): boolean => category === 'K' || category === 'AE';

function postSale(sale: Sale, chart: Chart, books: Books): Posting[] {
  const country = sale.country ?? books.country;
  const vatCountry = getVatCountry({ country, vat_id: sale.vatId }) ?? country;
  return sale.shares.flatMap(({ category, rate, ...share }) => {
    const amounts = readBoth(share, ['net', 'vat'], books);
    const isForeign = isOfOtherState(category, rate, country);
    const contra = revenueAccount(chart, category, rate, { country, vatCountry });
    const number = isWithinEu(category) ? getVatNumberAbroad(home, sale.vatId, category === 'K') : undefined;
    const base = {
      ...common(sale),
      account: sale.partner ?? '',
      contra,
      text: sale.name ?? '',
      supplied: sale.supplied,
      ...(number !== undefined && { destination: number }),
      ...(isForeign && { destination: vatPrefix(country), destinationRate: rate }),
    };
    const key = isAutomatic(chart, contra) ? withoutAutomatic : undefined;
    const computed = key === undefined ? 0 : vatIn(computeGross(amounts.books), rate);
    if (amounts.books.vat.equals(computed)) return [post(base, amounts, computeGross, books)];
    return [
      post({ ...base, key }, amounts, ({ net }) => net, books),
      post({ ...base, contra: outputVatAccount(chart, rate, isForeign) }, amounts, ({ vat }) => vat, books),
    ];
  });
}

const postPurchase = (purchase: Purchase, chart: Chart, books: Books): Posting[] =>
  purchase.lines.flatMap((line) => {
    const account = namedAccount(line.account) ?? expenseAccount(chart, purchase.category);
    const base = { ...common(purchase), text: purchase.text ?? line.text ?? '' };
    return postLine(line, purchase, chart, { ...base, account, contra: purchase.partner ?? anyCreditor }, books);
  });

const postPurchaseDiscount = (discount: PurchaseDiscount, chart: Chart, books: Books): Posting[] =>
  discount.lines.flatMap((line) => {
    const base = { ...common(discount), text: 'Skonto', account: chart.cashDiscount.received };
    return postLine(line, discount, chart, { ...base, contra: discount.partner ?? anyCreditor }, books);
  });

/**
 * VAT that can't be deducted is an expense. Where DATEV would compute other VAT than the report has, each part is a
 * posting without a key. VAT of another country can't be deducted here.
 */
function postLine(
  line: BoughtLine,
  { day, country }: PurchaseDiscount,
  chart: Chart,
  base: Omit<Posting, 'amount'>,
  books: Books,
): Posting[] {
  const { category, rate } = line;
  const amounts = readBoth(line, ['net', 'vat', 'tax', 'deducted'], books);
  const postPart = (find: (of: typeof amounts.own) => Decimal, other: Partial<Posting> = {}): Posting =>
    post({ ...base, ...other }, amounts, find, books);
  if (category === 'S' && !isOwnInputVat(books.country, day, rate, country)) return [postPart(computeGross)];
  const { net, tax, deducted: all } = amounts.books;
  const isOwedByBuyer = category === 'AE' || category === 'K';
  const key = taxKey(category, rate);
  const computed = isOwedByBuyer ? toCents(net.times(rate).dividedBy(100)) : vatIn(computeGross(amounts.books), rate);
  if (key !== undefined && all.equals(tax) && tax.equals(computed)) return [postPart(computeGross, { key })];
  const input = inputVatAccount(chart, category, rate);
  if (!isOwedByBuyer)
    return [
      postPart((of) => computeGross(of).minus(of.deducted)),
      postPart(({ deducted }) => deducted, { account: input }),
    ];
  const { owed } = chart.vat.byBuyer[category];
  return [
    postPart(computeGross),
    postPart(({ deducted }) => deducted, { account: input, contra: owed }),
    postPart((of) => of.tax.minus(of.deducted), { contra: owed }),
  ];
}

/** A discount lowers revenue and its VAT. */
function postSaleDiscount(discount: SaleDiscount, chart: Chart, books: Books): Posting[] {
  const country = discount.country ?? books.country;
  return discount.shares.flatMap(({ category, rate, ...share }) => {
    const amounts = readBoth(share, ['net', 'vat'], books);
    const { granted: account } = chart.cashDiscount;
    const isForeign = isOfOtherState(category, rate, country);
    const base = {
      ...common(discount),
      text: 'Skonto',
      account,
      contra: discount.partner ?? '',
      ...(isForeign && { destination: vatPrefix(country), destinationRate: rate }),
    };
    const key = category === 'S' ? taxKey('output', rate) : undefined;
    if (key !== undefined && amounts.books.vat.equals(vatIn(computeGross(amounts.books), rate)))
      return [post({ ...base, key }, amounts, (of) => computeGross(of).negated(), books)];
    return [
      post(base, amounts, ({ net }) => net.negated(), books),
      post({ ...base, account: outputVatAccount(chart, rate, isForeign) }, amounts, ({ vat }) => vat.negated(), books),
    ];
  });
}

const toCents = (amount: Decimal): Decimal => amount.toDecimalPlaces(2, Decimal.ROUND_HALF_UP);

/** The VAT that DATEV takes out of a gross amount. */
const vatIn = (gross: Decimal, rate: string): Decimal =>
  toCents(gross.times(rate).dividedBy(new Decimal(rate).plus(100)));

/** A payment of an invoice brings money in, or is a loss. A refund, and a payment of a receipt, are the opposite. */
function postPayment(payment: Payment, chart: Chart, books: Home): Posting {
  const { of, settles, exchange, settled, worth, isReversal } = payment;
  // A payment that only changes a customer's credit settles nothing: its amount is converted at the document's rate.
  const atRate = worth && convert(new Decimal(payment.amount), new Decimal(worth.rate), worth.currency);
  const atHome = exchange?.currency === books.currency ? exchange.amount : (settled ?? atRate);
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
      (exchange?.currency === books.currency || worth?.currency === books.currency) && {
        exchange: { amount: new Decimal(atHome).abs(), currency: books.currency },
      }),
  };
}

/** A payment's gain or loss settles the rest that it leaves on the partner's account in the books' currency. */
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
