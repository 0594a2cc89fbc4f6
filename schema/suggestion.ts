import type { BankTransaction as BankTransactionRow, Prisma } from '../prisma/generated/client/client.ts';
import { BankTransaction, MatchType, payable } from './bank-transaction.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';
import { ForbiddenError } from './errors.ts';
import { Decimal, minorDigits } from './money.ts';
import { namedNumbers, words } from './named-numbers.ts';

/** What is asked about a transaction. */
type Clues = Pick<
  BankTransactionRow,
  'amountOpen' | 'currency' | 'matchStatus' | 'counterpartyIban' | 'counterpartyName' | 'reference' | 'externalId'
>;

/** What a transaction may pay, how likely that is, and why. */
export interface Suggestion {
  type: 'INVOICE' | 'RECEIPT';
  id: string;
  /** What would be matched. */
  amount: Decimal;
  /** 0 to 100. */
  score: number;
  reasons: string[];
  /** Its number is named and the amount is exactly what is due: matched without asking. */
  certain: boolean;
}

/** A candidate: an open invoice or receipt, in the same terms. */
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
/** Those of many transactions whose text names an open invoice or a booked receipt: two queries for all. */
export async function namingSomething<T extends Clues>(context: Context, transactions: T[]): Promise<T[]> {
  const naming = transactions.map((transaction) => {
    const text = textOf(transaction);
    const incoming = new Decimal(transaction.amountOpen).greaterThan(0);
    return { transaction, numbers: incoming ? namedNumbers(text) : [], words: incoming ? [] : words(text) };
  });
  const invoices = await context.db.invoice.findMany({
    where: { status: 'ISSUED', number: { in: [...new Set(naming.flatMap(({ numbers }) => numbers))] } },
    select: { number: true },
  });
  const receipts = await context.db.receipt.findMany({
    where: { status: 'BOOKED', ...called(naming.flatMap((each) => each.words)) },
    select: { receiptNumber: true },
  });
  const open = new Set([
    ...invoices.map(({ number }) => number),
    ...receipts.map(({ receiptNumber }) => receiptNumber?.toLowerCase()),
  ]);
  return naming
    .filter((each) => [...each.numbers, ...each.words].some((name) => open.has(name)))
    .map(({ transaction }) => transaction);
}

const called = (names: string[]): Prisma.ReceiptWhereInput => ({
  receiptNumber: { in: [...new Set(names)], mode: 'insensitive' },
});

/** Every text of a transaction that may say what it pays. */
const textOf = ({ reference, externalId }: Pick<BankTransactionRow, 'reference' | 'externalId'>): string =>
  [reference, externalId].filter(Boolean).join(' ');

/** Words as a bank may cut or capitalise them. */
const normal = (name: string): string =>
  name
    .toLocaleLowerCase('und')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** What this transaction may pay, likeliest first. Nothing for one that is matched or ignored. */
export async function suggest(context: Context, transaction: Clues): Promise<Suggestion[]> {
  if (transaction.matchStatus === 'IGNORED') return [];
  const partners = await earlierPartners(context, transaction.counterpartyIban);
  return judged(await candidates(context, transaction, partners), transaction, partners);
}

/** What this transaction pays for certain: the only one whose number it names and whose due it is exactly. */
export async function certainly(context: Context, transaction: Clues): Promise<Suggestion | undefined> {
  const all = judged(await candidates(context, transaction), transaction, new Set());
  const [one, ...others] = all.filter(({ certain }) => certain);
  return others.length === 0 ? one : undefined;
}

/** Open invoices or booked receipts: those that the transaction names, and if `partners` are given, those likely otherwise. */
async function candidates(context: Context, transaction: Clues, partners?: Set<string>): Promise<Candidate[]> {
  const open = new Decimal(transaction.amountOpen);
  if (open.isZero()) return [];
  return (open.isPositive() ? openInvoices : openReceipts)(context, transaction, open.abs(), partners);
}

function judged(all: Candidate[], transaction: Clues, partners: Set<string>): Suggestion[] {
  return all
    .map((candidate) => judge(candidate, transaction, partners))
    .filter(({ score, amount }) => score > 0 && amount.greaterThan(0))
    .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

/** The rows of several queries, each once: asked one by one, the many of one clue don't crowd out another's. */
async function distinct<Row extends { id: string }>(queries: PromiseLike<Row[]>[]): Promise<Row[]> {
  const rows = (await Promise.all(queries)).flat();
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

/** Whom earlier transactions of this account were matched with. */
async function earlierPartners(context: Context, iban: string | null): Promise<Set<string>> {
  if (!iban) return new Set();
  const payments = await context.db.payment.findMany({
    where: { bankTransaction: { counterpartyIban: iban } },
    select: { invoice: { select: { customerId: true } }, receipt: { select: { supplierId: true } } },
    orderBy: { id: 'desc' },
    take: atMost,
  });
  return new Set(
    payments.map(({ invoice, receipt }) => invoice?.customerId ?? receipt?.supplierId).filter((id) => id != null),
  );
}

async function openInvoices(
  context: Context,
  transaction: Clues,
  amount: Decimal,
  partners?: Set<string>,
): Promise<Candidate[]> {
  const likely: Prisma.InvoiceWhereInput[] = [{ number: { in: namedNumbers(textOf(transaction)) } }];
  if (partners) {
    const name = transaction.counterpartyName?.trim();
    likely.push({ totalGross: amount }, { amountPaid: { gt: 0 } }, { customerId: { in: [...partners] } });
    if (name) likely.push({ customer: { companyName: { equals: name, mode: 'insensitive' } } });
  }
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
  return invoices.map(({ id, number, totalGross, amountPaid, customer }) => ({
    type: 'INVOICE',
    id,
    number,
    due: new Decimal(totalGross).minus(amountPaid),
    partnerId: customer.id,
    partnerName: customer.companyName,
  }));
}

async function openReceipts(
  context: Context,
  transaction: Clues,
  amount: Decimal,
  partners?: Set<string>,
): Promise<Candidate[]> {
  const likely: Prisma.ReceiptWhereInput[] = [called(words(textOf(transaction)))];
  if (partners) {
    const name = transaction.counterpartyName?.trim();
    likely.push({ amountGross: amount }, { amountPaid: { gt: 0 } }, { supplierId: { in: [...partners] } });
    if (name) likely.push({ supplier: { companyName: { equals: name, mode: 'insensitive' } } });
  }
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
  return receipts.map(({ id, receiptNumber, amountGross, amountPaid, supplier }) => ({
    type: 'RECEIPT',
    id,
    number: receiptNumber,
    due: new Decimal(amountGross).minus(amountPaid),
    partnerId: supplier?.id ?? null,
    partnerName: supplier?.companyName ?? null,
  }));
}

function judge(candidate: Candidate, transaction: Clues, partners: Set<string>): Suggestion {
  const { type, id, number, due, partnerId, partnerName } = candidate;
  const amount = new Decimal(transaction.amountOpen).abs();
  const text = textOf(transaction);
  const named =
    number !== null &&
    (type === 'INVOICE' ? namedNumbers(text).includes(number) : words(text).includes(number.toLowerCase()));
  const exact = due.equals(amount);
  const reasons: string[] = [];
  let score = 0;
  const because = (points: number, reason: string): void => {
    score += points;
    reasons.push(reason);
  };
  if (named) because(60, `The reference names ${type === 'INVOICE' ? 'invoice' : 'receipt'} ${number}.`);
  if (exact) because(30, 'The amount is exactly what is due.');
  if (partnerId && partners.has(partnerId)) because(20, `Earlier transactions of this account were ${partnerName}'s.`);
  if (partnerName && transaction.counterpartyName && normal(partnerName) === normal(transaction.counterpartyName)) {
    because(15, `The counterparty is called ${partnerName}, too.`);
  }
  const whole = Decimal.min(due, amount).toDecimalPlaces(minorDigits(transaction.currency), Decimal.ROUND_DOWN);
  return { type, id, amount: whole, score: Math.min(score, 100), reasons, certain: named && exact };
}

const SuggestionType = builder.objectRef<Suggestion>('MatchSuggestion').implement({
  description: 'What a bank transaction may pay. Confirmed by matchBankTransaction, declined by ignoreBankTransaction.',
  fields: (t) => ({
    type: t.expose('type', { type: MatchType, description: 'What it would pay.' }),
    id: t.expose('id', { type: 'UUID', description: 'Of the invoice or receipt.' }),
    amount: t.expose('amount', { type: 'Decimal', description: 'What would be matched; always positive.' }),
    score: t.exposeInt('score', { description: '0 to 100: how likely it is.' }),
    reasons: t.exposeStringList('reasons', { description: 'Why, in words.' }),
    ...payable(t),
  }),
});

builder.prismaObjectFields(BankTransaction, (t) => ({
  suggestions: t.field({
    type: [SuggestionType],
    description: 'Open invoices or booked receipts that this transaction may pay, likeliest first.',
    // By its direction, either invoices' or receipts': see below.
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
