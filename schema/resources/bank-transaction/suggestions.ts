import type { BankTransaction as BankTransactionRow, Prisma } from '../../../prisma/generated/client/client.ts';
import { BankTransaction, MatchType, payable } from './bank-transaction.ts';
import { builder } from '../../graphql/builder.ts';
import type { Context } from '../../graphql/context.ts';
import { resourceIdDescription } from '../../graphql/node.ts';
import { partnerCalled } from '../customer.ts';
import { payables, type PayableType } from '../payables.ts';
import { ForbiddenError } from '../../errors.ts';
import { Decimal, minorDigits } from '../../money/money.ts';
import {
  numbersOfSent,
  parseCreditNoteNumbers,
  parseInvoiceNumbers,
  parseReceiptNumbers,
} from './invoice-references.ts';
import { balanceFields, computeBalance, computeRefundDue } from '../invoice/balance.ts';
import { parseCreditNoteNumber } from '../credit-note/next-number.ts';

/** The data of a transaction that suggestions need. */
type Clues = Pick<
  BankTransactionRow,
  'amountOpen' | 'currency' | 'matchStatus' | 'counterpartyIban' | 'counterpartyName' | 'reference' | 'externalId'
>;

/** What a transaction may pay, with the likelihood and the reasons. */
export interface Suggestion {
  type: PayableType;
  id: string;
  /** The amount that would be matched. */
  amount: Decimal;
  /** 0 to 100. */
  score: number;
  reasons: string[];
  /** The transaction names its number and has exactly the amount due: it is matched automatically. */
  certain: boolean;
}

/** A candidate: an open invoice or receipt, or a credit note, in the same terms. */
interface Candidate {
  type: Suggestion['type'];
  id: string;
  number: string | null;
  due: Decimal;
  partnerId: string | null;
  partnerName: string | null;
}

/** Candidates for each clue. */
const atMost = 50;
/**
 * The names that are numbers of open invoices, booked receipts, or credit notes: a query of each for many transactions.
 * @param names numbers as parseInvoiceNumbers() and numbersOfSent() return them
 */
export async function namesOfOpen(
  context: Context,
  names: { numbers: string[]; words: string[] },
): Promise<Set<string | null | undefined>> {
  const [invoices, receipts, creditNotes] = await Promise.all([
    names.numbers.length === 0
      ? []
      : context.db.invoice.findMany({
          where: { status: 'ISSUED', number: { in: names.numbers } },
          select: { number: true },
        }),
    names.words.length === 0 ? [] : bookedReceiptsCalled(context, names.words),
    creditNotesNumbered(context, names.words),
  ]);
  return new Set([
    ...invoices.map(({ number }) => number),
    ...receipts.map(({ receiptNumber }) => receiptNumber.toLowerCase()),
    ...creditNotes.map(({ number }) => number),
  ]);
}

const ofCreditNote = { customer: true, invoice: { select: balanceFields } } as const;

/** The credit notes of paid invoices among these names. */
async function creditNotesNumbered(context: Context, names: string[]): Promise<RefundableNote[]> {
  const numbers = names.filter((name) => parseCreditNoteNumber(name) !== undefined);
  if (numbers.length === 0) return [];
  return context.db.creditNote.findMany({
    where: { number: { in: numbers }, invoice: { status: 'PAID' } },
    include: ofCreditNote,
  });
}

/** Finds receipts by the words of a batch of transactions. There are thousands, and Prisma would make a pattern of each. */
const bookedReceiptsCalled = (context: Context, called: string[]): Promise<{ id: string; receiptNumber: string }[]> =>
  context.db.$rows(
    `select id, receipt_number as "receiptNumber" from receipts
      where tenant_id = $1 and status = 'booked' and lower(receipt_number) = any ($2::text[])`,
    [called],
  );

const called = (names: string[]): Prisma.ReceiptWhereInput => ({
  receiptNumber: { in: [...new Set(names)], mode: 'insensitive' },
});

/** All texts of a transaction that may name an invoice or receipt. */
const getText = ({ reference, externalId }: Pick<BankTransactionRow, 'reference' | 'externalId'>): string =>
  [reference, externalId].filter(Boolean).join(' ');

/** Words as a bank may cut or capitalise them. */
const normal = (name: string): string =>
  name
    .toLocaleLowerCase('und')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** The invoices or receipts that a transaction may pay, likeliest first. None for a matched or ignored transaction. */
async function suggest(context: Context, transaction: Clues): Promise<Suggestion[]> {
  if (transaction.matchStatus === 'IGNORED') return [];
  // The partner's name is used only for callers who may read customers.
  if (!context.may('customers:read')) {
    const anonymous = { ...transaction, counterpartyIban: null, counterpartyName: null };
    return judged(await candidates(context, anonymous, new Set()), anonymous, new Set());
  }
  const partners = await earlierPartners(context, transaction.counterpartyIban);
  return judged(await candidates(context, transaction, partners), transaction, partners);
}

/**
 * For each transaction the invoice, receipt, or credit note that it certainly pays: the only one whose number it names and
 * whose due amount it has exactly. Candidates are read for all transactions at once.
 */
export async function findCertain(context: Context, transactions: Clues[]): Promise<(Suggestion | undefined)[]> {
  const byDirection = Map.groupBy(transactions, ({ amountOpen }) => Math.sign(Number(amountOpen)));
  const texts = (sign: number): string[] => (byDirection.get(sign) ?? []).map(getText);
  const invoices = await invoicesNumbered(context, new Set(texts(1).flatMap(parseInvoiceNumbers)));
  const sent = texts(-1);
  const receipts = await receiptsCalled(context, new Set(sent.flatMap(parseReceiptNumbers)));
  const creditNotes = Map.groupBy(
    (await creditNotesNumbered(context, sent.flatMap(parseCreditNoteNumbers))).map((creditNote) => ({
      ...creditNoteCandidate(creditNote),
      currency: creditNote.currency,
    })),
    ({ number }) => number ?? '',
  );
  return transactions.map((transaction) => {
    const isReceived = new Decimal(transaction.amountOpen).isPositive();
    const text = getText(transaction);
    const named = isReceived ? parseInvoiceNumbers(text) : numbersOfSent(text);
    const possible = named.flatMap((name) =>
      isReceived ? (invoices.get(name) ?? []) : (receipts.get(name) ?? creditNotes.get(name) ?? []),
    );
    const inCurrency = possible.filter(({ currency }) => currency === transaction.currency);
    const [one, ...others] = judged(inCurrency, transaction, new Set()).filter(({ certain }) => certain);
    return others.length === 0 ? one : undefined;
  });
}

type InCurrency = Candidate & { currency: string };

async function invoicesNumbered(context: Context, numbers: Set<string>): Promise<Map<string, InCurrency[]>> {
  if (numbers.size === 0) return new Map();
  const invoices = await context.db.invoice.findMany({
    where: { status: 'ISSUED', number: { in: [...numbers] } },
    include: { customer: true },
  });
  return Map.groupBy(
    invoices.map((invoice) => ({ ...invoiceCandidate(invoice), currency: invoice.currency })),
    ({ number }) => number ?? '',
  );
}

async function receiptsCalled(context: Context, names: Set<string>): Promise<Map<string, InCurrency[]>> {
  if (names.size === 0) return new Map();
  const ids = (await bookedReceiptsCalled(context, [...names])).map(({ id }) => id);
  const receipts = await context.db.receipt.findMany({ where: { id: { in: ids } }, include: { supplier: true } });
  return Map.groupBy(
    receipts.map((receipt) => ({ ...receiptCandidate(receipt), currency: receipt.currency })),
    ({ number }) => number?.toLowerCase() ?? '',
  );
}

/** Open invoices or booked receipts: those that the transaction names, and those with other clues. */
async function candidates(context: Context, transaction: Clues, partners: Set<string>): Promise<Candidate[]> {
  const open = new Decimal(transaction.amountOpen);
  if (open.isZero()) return [];
  if (open.isPositive()) return openInvoices(context, transaction, open.abs(), partners);
  const found = await Promise.all([
    openReceipts(context, transaction, open.abs(), partners),
    context.may('invoices:read') ? refundableNotes(context, transaction, open.abs(), partners) : [],
  ]);
  return found.flat();
}

function judged(all: Candidate[], transaction: Clues, partners: Set<string>): Suggestion[] {
  return all
    .map((candidate) => judge(candidate, transaction, partners))
    .filter(({ score, amount }) => score > 0 && amount.greaterThan(0))
    .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

/** The rows of several queries, without duplicates. With a query for each clue, many rows of one don't displace others. */
async function distinct<Row extends { id: string }>(queries: PromiseLike<Row[]>[]): Promise<Row[]> {
  const rows = (await Promise.all(queries)).flat();
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

/** The partners with whom earlier transactions of this account were matched. */
async function earlierPartners(context: Context, iban: string | null): Promise<Set<string>> {
  if (!iban) return new Set();
  const payments = await context.db.payment.findMany({
    where: { bankTransaction: { counterpartyIban: iban } },
    select: {
      invoice: { select: { customerId: true } },
      receipt: { select: { supplierId: true } },
      creditNote: { select: { customerId: true } },
    },
    orderBy: { id: 'desc' },
    take: atMost,
  });
  return new Set(
    payments
      .map(({ invoice, receipt, creditNote }) => invoice?.customerId ?? receipt?.supplierId ?? creditNote?.customerId)
      .filter((id) => id != null),
  );
}

async function openInvoices(
  context: Context,
  transaction: Clues,
  amount: Decimal,
  partners: Set<string>,
): Promise<Candidate[]> {
  const likely: Prisma.InvoiceWhereInput[] = [{ number: { in: parseInvoiceNumbers(getText(transaction)) } }];
  const name = transaction.counterpartyName?.trim();
  likely.push({ totalGross: amount }, { amountPaid: { gt: 0 } }, { customerId: { in: [...partners] } });
  likely.push({ amountCredited: { gt: 0 } });
  if (name) likely.push({ customer: partnerCalled(name) });
  const invoices = await distinct(
    likely.map((clue) =>
      context.db.invoice.findMany({
        where: { AND: [clue], status: 'ISSUED', currency: transaction.currency },
        include: { customer: true },
        orderBy: { id: 'desc' },
        take: atMost,
      }),
    ),
  );
  return invoices.map(invoiceCandidate);
}

type OpenInvoice = Prisma.InvoiceGetPayload<{ include: { customer: true } }>;

const invoiceCandidate = ({ customer, ...invoice }: OpenInvoice): Candidate => ({
  type: 'INVOICE',
  id: invoice.id,
  number: invoice.number,
  due: computeBalance(invoice),
  partnerId: customer.id,
  partnerName: customer.companyName,
});

/** Credit notes of paid invoices. Those of which nothing is to be refunded are left out as suggestions of no amount. */
async function refundableNotes(
  context: Context,
  transaction: Clues,
  amount: Decimal,
  partners: Set<string>,
): Promise<Candidate[]> {
  const likely: Prisma.CreditNoteWhereInput[] = [{ number: { in: parseCreditNoteNumbers(getText(transaction)) } }];
  const name = transaction.counterpartyName?.trim();
  likely.push({ totalGross: amount }, { customerId: { in: [...partners] } });
  if (name) likely.push({ customer: partnerCalled(name) });
  const creditNotes = await distinct(
    likely.map((clue) =>
      context.db.creditNote.findMany({
        where: { AND: [clue], currency: transaction.currency, invoice: { status: 'PAID' } },
        include: ofCreditNote,
        orderBy: { id: 'desc' },
        take: atMost,
      }),
    ),
  );
  return creditNotes.map(creditNoteCandidate);
}

type RefundableNote = Prisma.CreditNoteGetPayload<{ include: typeof ofCreditNote }>;

const creditNoteCandidate = ({ customer, invoice, ...creditNote }: RefundableNote): Candidate => ({
  type: 'CREDIT_NOTE',
  id: creditNote.id,
  number: creditNote.number,
  due: computeRefundDue(creditNote, invoice),
  partnerId: customer.id,
  partnerName: customer.companyName,
});

async function openReceipts(
  context: Context,
  transaction: Clues,
  amount: Decimal,
  partners: Set<string>,
): Promise<Candidate[]> {
  const likely: Prisma.ReceiptWhereInput[] = [called(parseReceiptNumbers(getText(transaction)))];
  const name = transaction.counterpartyName?.trim();
  likely.push({ amountGross: amount }, { amountPaid: { gt: 0 } }, { supplierId: { in: [...partners] } });
  if (name) likely.push({ supplier: partnerCalled(name) });
  const receipts = await distinct(
    likely.map((clue) =>
      context.db.receipt.findMany({
        where: { AND: [clue], status: 'BOOKED', currency: transaction.currency },
        include: { supplier: true },
        orderBy: { id: 'desc' },
        take: atMost,
      }),
    ),
  );
  return receipts.map(receiptCandidate);
}

type OpenReceipt = Prisma.ReceiptGetPayload<{ include: { supplier: true } }>;

const receiptCandidate = ({ id, receiptNumber, amountGross, amountPaid, supplier }: OpenReceipt): Candidate => ({
  type: 'RECEIPT',
  id,
  number: receiptNumber,
  due: new Decimal(amountGross).minus(amountPaid),
  partnerId: supplier?.id ?? null,
  partnerName: supplier?.companyName ?? null,
});

/** Whether a text names a number. */
const naming: Record<PayableType, (text: string, number: string) => boolean> = {
  INVOICE: (text, number) => parseInvoiceNumbers(text).includes(number),
  RECEIPT: (text, number) => parseReceiptNumbers(text).includes(number.toLowerCase()),
  CREDIT_NOTE: (text, number) => parseCreditNoteNumbers(text).includes(number),
};

function judge(candidate: Candidate, transaction: Clues, partners: Set<string>): Suggestion {
  const { type, id, number, due, partnerId, partnerName } = candidate;
  const amount = new Decimal(transaction.amountOpen).abs();
  const text = getText(transaction);
  const named = number !== null && naming[type](text, number);
  const exact = due.equals(amount);
  const reasons: string[] = [];
  let score = 0;
  const because = (points: number, reason: string): void => {
    score += points;
    reasons.push(reason);
  };
  if (named) because(60, `The reference names ${payables[type].name} ${number}.`);
  if (exact) because(30, 'The amount is exactly what is due.');
  if (partnerId && partners.has(partnerId)) because(20, `Earlier transactions of this account were ${partnerName}'s.`);
  if (partnerName && transaction.counterpartyName && normal(partnerName) === normal(transaction.counterpartyName)) {
    because(15, `The counterparty is called ${partnerName}, too.`);
  }
  const whole = Decimal.min(due, amount).toDecimalPlaces(minorDigits(transaction.currency), Decimal.ROUND_DOWN);
  return { type, id, amount: whole, score: Math.min(score, 100), reasons, certain: named && exact };
}

const SuggestionType = builder.objectRef<Suggestion>('MatchSuggestion').implement({
  description:
    'What a bank transaction may pay: an invoice, a receipt, or a credit note. matchBankTransaction confirms it, ignoreBankTransaction declines it.',
  fields: (t) => ({
    type: t.expose('type', { type: MatchType, description: 'What it would pay.' }),
    id: t.expose('id', { type: 'UUID', description: 'The id of the invoice, receipt, or credit note.' }),
    resourceId: t.expose('id', {
      type: 'UUID',
      description: resourceIdDescription('The id of the invoice, receipt, or credit note'),
    }),
    amount: t.expose('amount', { type: 'Decimal', description: 'The amount that would be matched; always positive.' }),
    score: t.exposeInt('score', { description: 'The likelihood, from 0 to 100.' }),
    reasons: t.exposeStringList('reasons', { description: 'The reasons, as text.' }),
    ...payable(t),
  }),
});

builder.prismaObjectFields(BankTransaction, (t) => ({
  suggestions: t.field({
    type: [SuggestionType],
    description:
      'What this transaction may pay, likeliest first: open invoices, or booked receipts and, for those who may read invoices, credit notes to be refunded.',
    // By its direction, those of invoices, or those of receipts and credit notes: see below.
    select: {
      amountOpen: true,
      currency: true,
      matchStatus: true,
      counterpartyIban: true,
      counterpartyName: true,
      reference: true,
      externalId: true,
    },
    resolve: (transaction, _args, context) => {
      const ability = transaction.amountOpen.isNegative() ? 'receipts:read' : 'invoices:read';
      if (!context.may(ability)) throw new ForbiddenError(ability);
      return suggest(context, transaction);
    },
  }),
}));
