import { Decimal } from 'decimal.js';
import { expect } from 'vitest';
import type { Integrator } from '../harness.ts';

// The expected reports, calculated from the API's data of each document and payment. No code of the reports is used.

const Exact = Decimal.clone({ precision: 100, rounding: Decimal.ROUND_HALF_UP });
type Exact = Decimal;
const zero = new Exact(0);
const round = (amount: Exact): Exact => amount.toDecimalPlaces(2); // EUR and CHF have two
const sumOf = (amounts: Exact[]): Exact => amounts.reduce((sum, amount) => sum.plus(amount), zero);

interface Share {
  vatCategory: string;
  vatRate: string;
  net: Exact;
  vat: Exact;
  /** Where the customer or supplier is, by the kinds of rows that say so. */
  places?: Record<string, string>;
}
interface Payment {
  id: string;
  recordedWithId: string | null;
  reversalOfId: string | null;
  kind: string;
  amount: Exact;
  paidOn: string;
  isReversal: boolean;
  /** The payment's amount in another currency. */
  exchange: { amount: Exact; currency: string } | null;
  /** The payment's exchange gain, according to the API. */
  difference: string | null;
}
/** The exchange rate of the document's currency to the home currency. */
interface Exchange {
  rate: Exact;
  currency: string;
}
interface Priced {
  currency: string;
  exchange: Exchange | null;
}
interface Invoice extends Priced {
  id: string;
  number: string;
  status: string;
  date: string;
  supplied: string;
  dueDate: string;
  customer: { id: string; country: string | null; vatId: string | null };
  gross: Exact;
  shares: Share[];
  payments: Payment[];
}
interface CreditNote extends Priced {
  invoiceId: string;
  id: string;
  date: string;
  gross: Exact;
  shares: Share[];
  refunds: Payment[];
}
interface Line extends Share {
  deductible: Exact;
  /** Whether its VAT, that of another country, is an expense. */
  isForeign: boolean;
}
interface Receipt extends Priced {
  id: string;
  date: string;
  dueDate: string | null;
  gross: Exact;
  prepaid: Exact;
  lines: Line[];
  payments: Payment[];
  /** The receipt that it reverses. */
  reversalOfId: string | null;
}
/** Where a customer or supplier is, seen from the tenant. */
type Partner = { country: string | null; vatId: string | null } | null;
function placePartner(partner: Partner, country: string): string {
  const number = (partner?.vatId ?? '').replaceAll(/[ .-]/g, '').toUpperCase();
  const from = inOthers[number.slice(0, 2)] ?? partner?.country;
  if (!from) return 'UNKNOWN';
  if (from === country) return 'DOMESTIC';
  return from in inOthers ? 'MEMBER_STATE' : 'THIRD_COUNTRY';
}

/** Rates of the generated books that the countries have themselves. */
const isOwnRate = ({ vatCategory, vatRate }: { vatCategory: string; vatRate: string }, country: string): boolean =>
  vatCategory === 'S' && country === 'DE' && ['19', '7', '5.5'].includes(vatRate);

const placeAbroad = (place: string): Record<string, string> =>
  place === 'MEMBER_STATE' || place === 'THIRD_COUNTRY' ? { INPUT: place } : {};

/** Sales of which the customer owes the VAT have the place of the customer. */
const placeSales = (shares: Share[], customer: Partner, country: string): Share[] =>
  shares.map((share) =>
    share.vatCategory === 'AE' ? { ...share, places: { OUTPUT: placePartner(customer, country) } } : share,
  );

/** The boxes of reverse charge for the net amount and the VAT, by kind and place. */
export const reverseChargeBoxes: Record<string, Record<string, [string | null, string | null]>> = {
  DE: {
    'REVERSE_CHARGE DOMESTIC': ['84', '85'],
    'REVERSE_CHARGE MEMBER_STATE': ['46', '47'],
    'REVERSE_CHARGE THIRD_COUNTRY': ['84', '85'],
    'REVERSE_CHARGE UNKNOWN': [null, null],
    'INPUT null': [null, '67'],
    'OUTPUT DOMESTIC': ['60', null],
    'OUTPUT MEMBER_STATE': ['21', null],
    'OUTPUT THIRD_COUNTRY': ['45', null],
    'OUTPUT UNKNOWN': [null, null],
  },
  AT: {
    'REVERSE_CHARGE DOMESTIC': [null, '048'],
    'REVERSE_CHARGE MEMBER_STATE': [null, '057'],
    'REVERSE_CHARGE THIRD_COUNTRY': [null, '057'],
    'REVERSE_CHARGE UNKNOWN': [null, null],
    'INPUT DOMESTIC': [null, '082'],
    'INPUT MEMBER_STATE': [null, '066'],
    'INPUT THIRD_COUNTRY': [null, '066'],
    'INPUT UNKNOWN': [null, null],
    'OUTPUT DOMESTIC': ['021', null],
    'OUTPUT MEMBER_STATE': [null, null],
    'OUTPUT THIRD_COUNTRY': [null, null],
    'OUTPUT UNKNOWN': [null, null],
  },
};

export interface Books {
  invoices: Invoice[];
  creditNotes: CreditNote[];
  receipts: Receipt[];
}

const money =
  'vatBreakdownByCategory { vatCategory vatRate net vat } currency totalGross exchangeRate exchangeCurrency';
const paymentsPage =
  '(first: 36) { totalCount nodes { id recordedWithId kind amount paidOn reversalOfId exchangeAmount exchangeCurrency exchangeDifference } }';

// Rows of answers.
/* eslint-disable typescript/no-explicit-any */
const readShares = (shares: any[]): Share[] =>
  shares.map(({ vatCategory, vatRate, net, vat }) => ({
    vatCategory,
    vatRate,
    net: new Exact(net),
    vat: new Exact(vat),
  }));
const readPayments = ({ nodes, totalCount }: any): Payment[] => {
  expect(totalCount).toBe(nodes.length);
  return nodes.map(
    ({
      id,
      recordedWithId,
      kind,
      amount,
      paidOn,
      reversalOfId,
      exchangeAmount,
      exchangeCurrency,
      exchangeDifference,
    }: any) => ({
      id,
      recordedWithId,
      reversalOfId,
      kind,
      amount: new Exact(amount),
      paidOn,
      isReversal: reversalOfId !== null,
      exchange: exchangeAmount === null ? null : { amount: new Exact(exchangeAmount), currency: exchangeCurrency },
      difference: exchangeDifference,
    }),
  );
};

const readExchange = ({ exchangeRate, exchangeCurrency }: any): Exchange | null =>
  exchangeRate === null ? null : { rate: new Exact(exchangeRate), currency: exchangeCurrency };

/** @param country the tenant's */
export async function readBooks(who: Integrator, country: string): Promise<Books> {
  const { invoices } =
    await who.graphql(`{ invoices(first: 50) { totalCount nodes { id number status invoiceDate deliveryDate dueDate
    customer { id country vatId } ${money} payments${paymentsPage} } } }`);
  const { creditNotes } =
    await who.graphql(`{ creditNotes(first: 50) { totalCount nodes { id invoice { id customer { country vatId } } creditNoteDate ${money}
    refunds${paymentsPage} } } }`);
  const { receipts } =
    await who.graphql(`{ receipts(first: 50) { totalCount nodes { id reversalOfId status receiptDate dueDate currency exchangeRate exchangeCurrency amountGross
    supplier { country vatId } amountPrepaid lines { vatCategory vatRate deductiblePercent amountNet vatAmount } payments${paymentsPage} } } }`);
  for (const { nodes, totalCount } of [invoices, creditNotes, receipts]) expect(totalCount).toBe(nodes.length);
  const isIssued = ({ status }: any): boolean => status !== 'DRAFT';
  return {
    invoices: invoices.nodes.filter(isIssued).map((each: any) => ({
      ...each,
      exchange: readExchange(each),
      date: each.invoiceDate,
      supplied: each.deliveryDate ?? each.invoiceDate,
      gross: new Exact(each.totalGross),
      shares: placeSales(readShares(each.vatBreakdownByCategory), each.customer, country),
      payments: readPayments(each.payments),
    })),
    creditNotes: creditNotes.nodes.map((each: any) => ({
      ...each,
      invoiceId: each.invoice.id,
      exchange: readExchange(each),
      date: each.creditNoteDate,
      gross: new Exact(each.totalGross),
      shares: placeSales(readShares(each.vatBreakdownByCategory), each.invoice.customer, country),
      refunds: readPayments(each.refunds),
    })),
    receipts: receipts.nodes.filter(isIssued).map((each: any) => ({
      ...each,
      exchange: readExchange(each),
      date: each.receiptDate,
      gross: new Exact(each.amountGross),
      prepaid: new Exact(each.amountPrepaid),
      lines: each.lines.map((line: any) => ({
        vatCategory: line.vatCategory,
        vatRate: line.vatRate,
        deductible: new Exact(line.deductiblePercent),
        isForeign:
          line.vatCategory === 'S' &&
          (!isOwnRate(line, country) || 'INPUT' in placeAbroad(placePartner(each.supplier, country))),
        net: new Exact(line.amountNet),
        vat: new Exact(line.vatAmount),
        places: isOwnRate(line, country)
          ? placeAbroad(placePartner(each.supplier, country))
          : line.vatCategory === 'AE'
            ? Object.fromEntries(
                (country === 'AT' ? ['REVERSE_CHARGE', 'INPUT'] : ['REVERSE_CHARGE']).map((kind) => [
                  kind,
                  placePartner(each.supplier, country),
                ]),
              )
            : {},
      })),
      payments: readPayments(each.payments),
    })),
  };
}
/* eslint-enable typescript/no-explicit-any */

/** `kind category rate currency`, and the place where boxes depend on it → net and VAT, where either isn't zero. */
export type VatSums = Record<string, { net: string; vat: string }>;

class Sums {
  readonly #sums = new Map<string, { net: Exact; vat: Exact }>();
  add(kind: string, currency: string, { vatCategory, vatRate, net, vat, places }: Share, sign = 1): void {
    const key = [kind, vatCategory, vatRate, currency, ...(places?.[kind] ? [places[kind]] : [])].join(' ');
    const before = this.#sums.get(key) ?? { net: zero, vat: zero };
    this.#sums.set(key, { net: before.net.plus(net.times(sign)), vat: before.vat.plus(vat.times(sign)) });
  }
  get all(): VatSums {
    const entries = [...this.#sums].filter(([, { net, vat }]) => !net.isZero() || !vat.isZero());
    return Object.fromEntries(
      entries
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, { net, vat }]) => [key, { net: net.toFixed(), vat: vat.toFixed() }]),
    );
  }
}

const isOwedByBuyer = ({ vatCategory }: Share): boolean => vatCategory === 'AE' || vatCategory === 'K';

/** The VAT of a line, stated or owed, and what of it can be deducted. */
function deduct(line: Line): { vat: Exact; deducted: Exact } {
  const vat = isOwedByBuyer(line) ? round(line.net.times(line.vatRate).dividedBy(100)) : line.vat;
  return { vat, deducted: round(vat.times(line.deductible).dividedBy(100)) };
}

function addLine(sums: Sums, currency: string, line: Line, sign = 1): void {
  const { vat, deducted } = deduct(line);
  if (isOwedByBuyer(line))
    sums.add(line.vatCategory === 'AE' ? 'REVERSE_CHARGE' : 'ACQUISITION', currency, { ...line, vat }, sign);
  sums.add(line.vatCategory === 'IMPORT' ? 'IMPORT' : 'INPUT', currency, { ...line, vat: deducted }, sign);
}

/** The cost of a line: net, and the VAT that can't be deducted. */
function costOf(line: Line): Exact {
  const { vat, deducted } = deduct(line);
  return line.net.plus(vat).minus(line.isForeign ? zero : deducted);
}

const grossOf = ({ net, vat }: Line): Exact => net.plus(vat);

/** An amount split over lines by their gross amounts: the largest one takes the rounding. */
function splitOverLines(lines: Line[], amount: Exact): Line[] {
  const gross = sumOf(lines.map(grossOf));
  const largest = lines.reduce((most, line) => (grossOf(line).abs().gte(grossOf(most).abs()) ? line : most));
  const shareOf = (line: Line): Exact => (gross.isZero() ? zero : round(amount.times(grossOf(line)).dividedBy(gross)));
  const others = sumOf(lines.filter((line) => line !== largest).map(shareOf));
  return lines.map((line) => {
    const share = line === largest ? amount.minus(others) : shareOf(line);
    const whole = grossOf(line);
    const isAll = share.equals(whole);
    const vat = isAll ? line.vat : whole.isZero() ? zero : round(share.times(line.vat).dividedBy(whole));
    return { ...line, net: share.minus(vat), vat };
  });
}

/** The parts of a receipt's lines that cash discounts took back until the end of a day. */
const discountedLines = ({ lines, payments }: Receipt, day: string): Line[] =>
  splitOverLines(lines, until(payments, day, ['CASH_DISCOUNT']));

/** The parts of a receipt's lines that were paid until the end of a day, of what was left after cash discounts. */
function paidLines(receipt: Receipt, day: string): Line[] {
  const { lines, prepaid, date, payments } = receipt;
  const discounts = discountedLines(receipt, day);
  const left = lines.map((line, at) => {
    const { net = zero, vat = zero } = discounts[at] ?? {};
    return { ...line, net: line.net.minus(net), vat: line.vat.minus(vat) };
  });
  return splitOverLines(left, until(payments, day).plus(date <= day ? prepaid : 0));
}

/** Cash discounts of a receipt count on their own days. */
function addLineDiscounts(
  sums: Sums,
  receipt: Receipt,
  from: string,
  to: string,
  counts: (line: Line) => boolean = () => true,
): void {
  for (const { line, sign } of discountedOf(receipt, from, to))
    if (counts(line)) addLine(sums, currencyOf(receipt), line, -sign);
}

/** Discounts of a receipt in a period, as they count: in foreign money those of a day together, else until its two ends. */
function discountedOf(receipt: Receipt, from: string, to: string): { line: Line; sign: 1 | -1 }[] {
  const grown = (day: string): Line[] => discountedLines(receipt, day);
  if (receipt.exchange)
    return perDay(discountDays(receipt.payments), from, to, grown).flatMap((lines) =>
      worths(receipt, lines).map((line) => ({ line, sign: 1 as const })),
    );
  return [
    ...grown(to).map((line) => ({ line, sign: 1 as const })),
    ...grown(before(from)).map((line) => ({ line, sign: -1 as const })),
  ];
}

/** The currency in which a document counts. */
const currencyOf = ({ currency, exchange }: Priced): string => exchange?.currency ?? currency;

/** An amount of a document, as it counts. */
const worth = ({ exchange }: Priced, amount: Exact): Exact => (exchange ? round(amount.times(exchange.rate)) : amount);

/** Shares as they count: those before one, and those up to it, are worth so much, gross and VAT; it is worth the rest. */
function worths<Of extends Share>(document: Priced, shares: Of[]): Of[] {
  let [gross, vat] = [zero, zero];
  return shares.map((share) => {
    const [grossBefore, vatBefore] = [worth(document, gross), worth(document, vat)];
    [gross, vat] = [gross.plus(share.net).plus(share.vat), vat.plus(share.vat)];
    const ofVat = worth(document, vat).minus(vatBefore);
    return { ...share, net: worth(document, gross).minus(grossBefore).minus(ofVat), vat: ofVat };
  });
}

/** The amounts that each day of a period adds to the totals at its end; days without any are left out. */
function perDay<Of extends Share>(days: string[], from: string, to: string, grown: (day: string) => Of[]): Of[][] {
  return [...new Set(days)]
    .filter((day) => within(day, from, to))
    .map((day) => {
      const earlier = grown(before(day));
      return grown(day).map((share, at) => {
        const { net, vat } = earlier[at] ?? { net: zero, vat: zero };
        return { ...share, net: share.net.minus(net), vat: share.vat.minus(vat) };
      });
    });
}

const discountDays = (payments: Payment[]): string[] =>
  payments.filter(({ kind }) => kind === 'CASH_DISCOUNT').map(({ paidOn }) => paidOn);

/** The cash discounts of an invoice on each day of a period, as they count. */
function discountsByDay(books: Books, invoice: Invoice, from: string, to: string): { day: string; shares: Share[] }[] {
  const { id, shares, payments } = invoice;
  const notes = books.creditNotes.filter(({ invoiceId }) => invoiceId === id);
  const given = discountDays(payments);
  // A credit note changes over what they are split.
  const days = new Set(given.length === 0 ? [] : [...given, ...notes.map(({ date }) => date)]);
  return [...days].flatMap((day) =>
    perDay([day], from, to, (end) => discountShares(payments, leftOf(shares, notes, end), end)).map((added) => ({
      day,
      shares: worths(invoice, added),
    })),
  );
}

const byCategory = (a: Share, b: Share): number =>
  a.vatCategory === b.vatCategory ? new Exact(a.vatRate).comparedTo(b.vatRate) : a.vatCategory < b.vatCategory ? -1 : 1;

/** All shares of a document, as they count. */
const allShares = (document: Priced & { shares: Share[] }): Share[] =>
  worths(document, document.shares.toSorted(byCategory));

const within = (day: string, from: string, to: string): boolean => from <= day && day <= to;

export function accrual(books: Books, from: string, to: string, by: 'date' | 'supplied'): VatSums {
  const sums = new Sums();
  for (const invoice of books.invoices)
    if (within(invoice[by], from, to))
      for (const share of allShares(invoice)) sums.add('OUTPUT', currencyOf(invoice), share);
  for (const note of books.creditNotes)
    if (within(note.date, from, to))
      for (const share of allShares(note)) sums.add('OUTPUT', currencyOf(note), share, -1);
  for (const receipt of books.receipts)
    if (within(receipt.date, from, to))
      for (const line of worths(receipt, receipt.lines)) addLine(sums, currencyOf(receipt), line);
  addDiscounts(sums, books, from, to);
  for (const receipt of books.receipts) addLineDiscounts(sums, receipt, from, to);
  return sums.all;
}

/** Cash discounts of invoices count on their own days, whatever their document's date. */
function addDiscounts(sums: Sums, books: Books, from: string, to: string): void {
  for (const invoice of books.invoices)
    for (const { shares } of discountsByDay(books, invoice, from, to))
      for (const share of shares) sums.add('OUTPUT', currencyOf(invoice), share, -1);
}

const key = ({ vatCategory, vatRate }: Share): string => `${vatCategory} ${vatRate}`;

const isPaid = ['PAYMENT', 'FEE', 'CREDIT'];
const isAdjusted = ['CASH_DISCOUNT', 'WRITE_OFF', 'ROUNDING'];

/** The sum of payments of some kinds until the end of a day. */
const until = (payments: Payment[], day: string, kinds = isPaid): Exact =>
  sumOf(payments.filter(({ paidOn, kind }) => paidOn <= day && kinds.includes(kind)).map(({ amount }) => amount));

interface Left {
  share: Share;
  vat: Exact;
  gross: Exact;
  back: Exact;
  backVat: Exact;
}

/** The rest of each category and rate after credit notes. */
function leftOf(shares: Share[], notes: CreditNote[], day: string): Left[] {
  const credited = notes.filter(({ date }) => date <= day).flatMap((note) => note.shares);
  return shares
    .map((share) => {
      const back = credited.filter((each) => key(each) === key(share));
      const [backNet, backVat] = [sumOf(back.map(({ net }) => net)), sumOf(back.map(({ vat }) => vat))];
      return {
        share,
        vat: share.vat.minus(backVat),
        gross: share.net.plus(share.vat).minus(backNet).minus(backVat),
        back: backNet.plus(backVat),
        backVat,
      };
    })
    .toSorted((a, b) => byCategory(a.share, b.share));
}

/** An amount split over what is left, and beyond that by what was credited: net and VAT by category and rate. */
function splitOver(rows: Left[], paid: Exact): Share[] {
  const left = sumOf(rows.map(({ gross }) => gross));
  const allBack = sumOf(rows.map(({ back }) => back));
  const isBeyond = paid.greaterThan(left) && !allBack.isZero();
  let rest = paid;
  return rows.map(({ share, vat, gross, back, backVat }, at) => {
    const own = isBeyond
      ? gross.plus(round(paid.minus(left).times(back).dividedBy(allBack)))
      : left.isZero()
        ? zero
        : round(paid.times(gross).dividedBy(left));
    const amount = at === rows.length - 1 ? rest : own;
    rest = rest.minus(amount);
    const ofVat = amount.equals(gross)
      ? vat
      : isBeyond
        ? vat.plus(back.isZero() ? zero : round(amount.minus(gross).times(backVat).dividedBy(back)))
        : gross.isZero()
          ? zero
          : round(amount.times(vat).dividedBy(gross));
    return { ...share, net: amount.minus(ofVat), vat: ofVat };
  });
}

const discountShares = (payments: Payment[], left: Left[], day: string): Share[] =>
  splitOver(left, until(payments, day, ['CASH_DISCOUNT']));

/** Net and VAT that were paid until the end of a day, by category and rate: of what is left after cash discounts. */
function paidShares(shares: Share[], payments: Payment[], notes: CreditNote[], day: string): Share[] {
  const left = leftOf(shares, notes, day);
  const discounts = discountShares(payments, left, day);
  const rows = left.map((row, at) => {
    const { net = zero, vat = zero } = discounts[at] ?? {};
    return { ...row, vat: row.vat.minus(vat), gross: row.gross.minus(net).minus(vat) };
  });
  return splitOver(rows, until(payments, day).minus(sumOf(notes.map(({ refunds }) => until(refunds, day)))));
}

const before = (day: string): string => Temporal.PlainDate.from(day).subtract({ days: 1 }).toString();

export function cash(books: Books, from: string, to: string, isInputByPayment: boolean): VatSums {
  const sums = new Sums();
  for (const invoice of books.invoices) {
    const notes = books.creditNotes.filter(({ invoiceId }) => invoiceId === invoice.id);
    const paid = (day: string): Share[] => worths(invoice, paidShares(invoice.shares, invoice.payments, notes, day));
    for (const share of paid(to)) sums.add('OUTPUT', currencyOf(invoice), share);
    for (const share of paid(before(from))) sums.add('OUTPUT', currencyOf(invoice), share, -1);
  }
  for (const receipt of books.receipts) {
    const { date } = receipt;
    const currency = currencyOf(receipt);
    const paid = (day: string): Line[] => worths(receipt, paidLines(receipt, day));
    const isPaidToSupplier = (line: Line): boolean =>
      isInputByPayment && !isOwedByBuyer(line) && line.vatCategory !== 'IMPORT';
    if (within(date, from, to))
      for (const line of worths(receipt, receipt.lines)) if (!isPaidToSupplier(line)) addLine(sums, currency, line);
    addLineDiscounts(sums, receipt, from, to, (line) => !isPaidToSupplier(line));
    for (const line of paid(to)) if (isPaidToSupplier(line)) addLine(sums, currency, line);
    for (const line of paid(before(from))) if (isPaidToSupplier(line)) addLine(sums, currency, line, -1);
  }
  return sums.all;
}

/** A document's settlement in the home currency: by payments, and by the rest of roundings once nothing more is due. */
interface Settled {
  payments: Map<string, Exact>;
  rests: { date: string; open: Exact }[];
}

/**
 * The partner's account of a document, booked step by step in the order of writing: whatever is booked by a payment leaves the
 * account with what isn't settled yet, converted. Other steps have amounts of their own.
 */
function settle(books: Books, document: Invoice | Receipt): Settled {
  const settled: Settled = { payments: new Map(), rests: [] };
  if (!document.exchange) return settled;
  const prepaid = 'prepaid' in document ? document.prepaid : zero;
  const notes = 'number' in document ? books.creditNotes.filter(({ invoiceId }) => invoiceId === document.id) : [];
  const whole = worth(document, document.gross).minus(worth(document, prepaid));
  let [due, account] = [document.gross.minus(prepaid), whole];
  const book = (date: string, amount: Exact, find: (left: Exact) => Exact): Exact => {
    const all = document.gross.minus(prepaid);
    due = due.minus(amount);
    // The last payment takes all, also what the conversion of the prepaid part has left.
    const isLast = due.isZero() && account.times(amount).isPositive();
    const booked = find(isLast ? account : account.minus(whole).plus(worth(document, all.minus(due))));
    account = account.minus(booked);
    if (due.isZero() && !account.isZero()) {
      settled.rests.push({ date, open: account });
      account = zero;
    }
    return booked;
  };
  const discounts = new Map<string, Exact>();
  const pay = ({ id, kind, amount, paidOn, reversalOfId }: Payment, sign: 1 | -1): void => {
    const moved = amount.times(sign);
    const booked = book(paidOn, moved, (left) => {
      if (kind === 'CASH_DISCOUNT') {
        const earlier = discounts.get(paidOn) ?? zero;
        discounts.set(paidOn, earlier.plus(amount));
        return worth(document, earlier.plus(amount)).minus(worth(document, earlier));
      }
      const undone = reversalOfId === null ? undefined : settled.payments.get(reversalOfId);
      if (undone) return undone.times(-sign);
      if (kind === 'CREDIT') return worth(document, moved);
      return left.times(moved).isNegative() ? zero : left;
    });
    settled.payments.set(id, booked.times(sign));
  };
  const last = ({ kind }: Payment): number =>
    kind === 'PAYMENT' ? 2 : kind === 'CASH_DISCOUNT' || kind === 'CREDIT' ? 0 : 1;
  const ofPayment = (payment: Payment, sign: 1 | -1) => ({
    order: `${payment.recordedWithId ?? payment.id} ${last(payment)} ${payment.id}`,
    take: () => pay(payment, sign),
  });
  const steps = [
    ...document.payments
      .filter(({ kind }) => [...isPaid, ...isAdjusted].includes(kind))
      .map((payment) => ofPayment(payment, 1)),
    ...notes.flatMap(({ id, date, gross, refunds }) => [
      { order: `${id} 0`, take: () => void book(date, gross, () => worth(document, gross)) },
      ...refunds.map((refund) => ofPayment(refund, -1)),
    ]),
  ];
  for (const { take } of steps.toSorted((a, b) => (a.order < b.order ? -1 : 1))) take();
  return settled;
}

/** The gain of a payment: its amount in the home currency, less the amount that it settles there. */
function gainOf(document: Priced, { id, exchange }: Payment, settled: Settled, isReceived: boolean): Exact | null {
  const of = settled.payments.get(id);
  if (!of || !exchange || exchange.currency !== document.exchange?.currency) return null;
  return exchange.amount.minus(of).times(isReceived ? 1 : -1);
}

const withPayments = (books: Books) => {
  const { invoices, creditNotes, receipts } = books;
  const ofInvoices = new Map(invoices.map((of) => [of.id, settle(books, of)]));
  const none: Settled = { payments: new Map(), rests: [] };
  return [
    ...invoices.flatMap((of) => {
      const settled = ofInvoices.get(of.id) ?? none;
      return of.payments.map((payment) => ({ of, payment, settled, isReceived: true }));
    }),
    ...creditNotes.flatMap((of) => {
      const settled = ofInvoices.get(of.invoiceId) ?? none;
      return of.refunds.map((payment) => ({ of, payment, settled, isReceived: false }));
    }),
    ...receipts.flatMap((of) => {
      const settled = settle(books, of);
      return of.payments.map((payment) => ({ of, payment, settled, isReceived: false }));
    }),
  ];
};

/** The exchange differences of all payments: what the API says, and what they are. */
export const differences = (books: Books): { said: string | null; expected: string | null }[] =>
  withPayments(books).map(({ of, payment, settled, isReceived }) => ({
    said: payment.difference,
    expected: gainOf(of, payment, settled, isReceived)?.toFixed() ?? null,
  }));

/** `currency` → sums in cents, of the days from `from` to `to`. */
export type ProfitSums = Record<string, Record<ProfitPart, number>>;
type ProfitPart = 'revenue' | 'expenses' | 'exchange_gains' | 'exchange_losses';
export const noProfit = { revenue: 0, expenses: 0, exchange_gains: 0, exchange_losses: 0 };

/** Net amounts, whatever their VAT. On the accrual basis by the dates of documents, without a look at lines or rates. */
export function profit(books: Books, from: string, to: string, basis: 'accrual' | 'cash'): ProfitSums {
  const sums: ProfitSums = {};
  const add = (side: ProfitPart, currency: string, net: Exact): void => {
    const of = (sums[currency] ??= { ...noProfit });
    of[side] += net.times(100).toNumber();
  };
  const addLosses = (kinds: string[]): void => {
    for (const { side, rows } of [
      { side: 'expenses', rows: books.invoices },
      { side: 'revenue', rows: books.receipts },
    ] as const)
      for (const document of rows)
        for (const { id, kind, paidOn, amount } of document.payments)
          if (kinds.includes(kind) && within(paidOn, from, to))
            add(side, currencyOf(document), settle(books, document).payments.get(id) ?? amount);
  };
  for (const document of [...books.invoices, ...books.receipts])
    for (const { date, open } of settle(books, document).rests)
      if (within(date, from, to))
        add(
          'number' in document === open.isPositive() ? 'exchange_losses' : 'exchange_gains',
          currencyOf(document),
          open.abs(),
        );
  for (const { of, payment, settled, isReceived } of withPayments(books)) {
    const gain = gainOf(of, payment, settled, isReceived);
    if (!gain || !within(payment.paidOn, from, to)) continue;
    // A reversal is in the part of what it takes back.
    const ofPayment = payment.isReversal ? gain.negated() : gain;
    const [part, amount] = ofPayment.isNegative()
      ? (['exchange_losses', gain.negated()] as const)
      : (['exchange_gains', gain] as const);
    add(part, currencyOf(of), amount);
  }
  if (basis === 'cash') {
    addLosses(['FEE']);
    for (const [name, { net }] of Object.entries(cash({ ...books, receipts: [] }, from, to, true)))
      add('revenue', name.split(' ')[3] ?? '', new Exact(net));
    for (const receipt of books.receipts) {
      const costs = (day: string): Exact => sumOf(worths(receipt, paidLines(receipt, day)).map(costOf));
      add('expenses', currencyOf(receipt), costs(to).minus(costs(before(from))));
    }
    return sums;
  }
  addLosses(['FEE', 'WRITE_OFF', 'ROUNDING']);
  const discounts = new Sums();
  addDiscounts(discounts, books, from, to);
  for (const [name, { net }] of Object.entries(discounts.all)) add('revenue', name.split(' ')[3] ?? '', new Exact(net));
  for (const receipt of books.receipts) {
    const costs = discountedOf(receipt, from, to).map(({ line, sign }) => costOf(line).times(-sign));
    add('expenses', currencyOf(receipt), sumOf(costs));
  }
  const ofShares = (shares: Share[]): Exact => sumOf(shares.map(({ vat }) => vat));
  for (const { sign, rows } of [
    { sign: 1, rows: books.invoices },
    { sign: -1, rows: books.creditNotes },
  ])
    for (const document of rows)
      if (within(document.date, from, to))
        add(
          'revenue',
          currencyOf(document),
          worth(document, document.gross)
            .minus(worth(document, ofShares(document.shares)))
            .times(sign),
        );
  for (const receipt of books.receipts)
    if (within(receipt.date, from, to))
      add('expenses', currencyOf(receipt), sumOf(worths(receipt, receipt.lines).map(costOf)));
  return sums;
}

/** `kind country VAT-number currency` → the net sum in cents, and the ids of the documents. */
export type Sales = Record<string, { net: number; ids: string[] }>;

const inOthers: Record<string, string> = { FR: 'FR', AT: 'AT', DE: 'DE', EL: 'GR', GR: 'GR', IT: 'IT' };

/** Where the sales of these books belong in the EC sales list; undefined where they don't. */
function placeSale({ country, vatId }: Invoice['customer'], category: string, seller: string): string | undefined {
  const number = (vatId ?? '').replaceAll(/[ .-]/g, '').toUpperCase();
  const state = inOthers[number.slice(0, 2)];
  if (category === 'K' && number.startsWith('XI')) return `GOODS XI ${number}`;
  if (category === 'K' && country === null && !state) return 'GOODS null null';
  const place = state ?? inOthers[country ?? ''];
  if (!place || place === seller || !['K', 'AE'].includes(category)) return undefined;
  return `${category === 'K' ? 'GOODS' : 'SERVICES'} ${place} ${state ? number : null}`;
}

export function ecSales(books: Books, seller: string, from: string, to: string, by: 'date' | 'supplied'): Sales {
  const sales: Sales = {};
  const add = (id: string, invoice: Invoice, shares: Share[], sign: number): void => {
    for (const { vatCategory, net } of shares) {
      const place = placeSale(invoice.customer, vatCategory, seller);
      if (!place) continue;
      const row = (sales[`${place} ${currencyOf(invoice)}`] ??= { net: 0, ids: [] });
      row.net += net.times(100 * sign).toNumber();
      row.ids.push(id);
    }
  };
  for (const invoice of books.invoices)
    if (within(invoice[by], from, to)) add(invoice.id, invoice, allShares(invoice), 1);
  for (const note of books.creditNotes) {
    const invoice = books.invoices.find(({ id }) => id === note.invoiceId);
    if (invoice && within(note.date, from, to)) add(note.id, invoice, allShares(note), -1);
  }
  for (const invoice of books.invoices)
    for (const { shares } of discountsByDay(books, invoice, from, to))
      add(
        invoice.id,
        invoice,
        shares.filter(({ net }) => !net.isZero()),
        -1,
      );
  return sales;
}

/** The open amount of each invoice at the end of a day, where there is one, by due date. */
export const receivables = ({ invoices, creditNotes }: Books, at: string): { id: string; open: string }[] =>
  invoices
    .filter(({ date }) => date <= at)
    .map((invoice) => {
      const notes = creditNotes.filter(({ invoiceId }) => invoiceId === invoice.id);
      const credited = sumOf(notes.filter(({ date }) => date <= at).map(({ gross }) => gross));
      const refunded = sumOf(notes.map(({ refunds }) => until(refunds, at)));
      const settled = until(invoice.payments, at, [...isPaid, ...isAdjusted]);
      const open = invoice.gross.minus(credited).minus(settled).plus(refunded);
      return { id: invoice.id, dueDate: invoice.dueDate, open };
    })
    .filter(({ open }) => !open.isZero())
    .toSorted((a, b) => (`${a.dueDate}${a.id}` < `${b.dueDate}${b.id}` ? -1 : 1))
    .map(({ id, open }) => ({ id, open: open.toFixed() }));

export const payables = ({ receipts }: Books, at: string): { id: string; open: string }[] =>
  receipts
    .filter(({ date, reversalOfId }) => date <= at && reversalOfId === null)
    .map(({ id, gross, prepaid, payments }) => {
      const reversals = receipts.filter(({ reversalOfId, date }) => reversalOfId === id && date <= at);
      const payable = [gross.minus(prepaid), ...reversals.map((each) => each.gross.minus(each.prepaid))];
      return { id, open: sumOf(payable).minus(until(payments, at, [...isPaid, ...isAdjusted])) };
    })
    .filter(({ open }) => !open.isZero())
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, open }) => ({ id, open: open.toFixed() }));
