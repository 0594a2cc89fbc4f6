import type { BankTransaction as BankTransactionRow, Prisma } from '../prisma/generated/client/client.ts';
import { BankTransaction, MatchType } from './bank-transaction.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';
import { Decimal } from './money.ts';

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

const atMost = 50;

/**
 * Invoice numbers that a text may name: `2026-0017`, also written 2026/0017 or 20260017, and inside a structured
 * creditor reference (ISO 11649, RF18 2026 0017).
 */
export function namedNumbers(text: string): string[] {
  const numbers = new Set<string>();
  const plain = text.replace(/\bRF\d{2}/gi, ' ');
  for (const [, year, rest] of plain.matchAll(/(?<!\d)(\d{4})[\s\-/.]?(\d{4,})(?!\d)/g)) numbers.add(`${year}-${rest}`);
  return [...numbers];
}

/** Words that may be a receipt's number. */
const words = (text: string): string[] => text.split(/[\s,;:]+/).filter(Boolean);

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
    where: { status: 'BOOKED', receiptNumber: { in: [...new Set(naming.flatMap((each) => each.words))] } },
    select: { receiptNumber: true },
  });
  const open = new Set([
    ...invoices.map(({ number }) => number),
    ...receipts.map(({ receiptNumber }) => receiptNumber),
  ]);
  return naming
    .filter((each) => [...each.numbers, ...each.words].some((name) => open.has(name)))
    .map(({ transaction }) => transaction);
}

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
  const open = new Decimal(transaction.amountOpen);
  if (open.isZero() || transaction.matchStatus === 'IGNORED') return [];
  const incoming = open.greaterThan(0);
  const amount = open.abs();
  const partners = await earlierPartners(context, transaction.counterpartyIban);
  const candidates = await (incoming ? openInvoices : openReceipts)(context, transaction, amount, partners);
  return candidates
    .map((candidate) => judge(candidate, transaction, amount, partners))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
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
  partners: Set<string>,
): Promise<Candidate[]> {
  const likely: Prisma.InvoiceWhereInput[] = [
    { number: { in: namedNumbers(textOf(transaction)) } },
    { totalGross: amount },
    { customerId: { in: [...partners] } },
  ];
  const name = transaction.counterpartyName?.trim();
  if (name) likely.push({ customer: { companyName: { equals: name, mode: 'insensitive' } } });
  const invoices = await context.db.invoice.findMany({
    where: { status: 'ISSUED', currency: transaction.currency, OR: likely },
    include: { customer: true },
    orderBy: { id: 'desc' },
    take: atMost,
  });
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
  partners: Set<string>,
): Promise<Candidate[]> {
  const likely: Prisma.ReceiptWhereInput[] = [
    {
      receiptNumber: {
        in: textOf(transaction)
          .split(/[\s,;:]+/)
          .filter(Boolean),
      },
    },
    { amountGross: amount },
    { supplierId: { in: [...partners] } },
  ];
  const name = transaction.counterpartyName?.trim();
  if (name) likely.push({ supplier: { companyName: { equals: name, mode: 'insensitive' } } });
  const receipts = await context.db.receipt.findMany({
    where: { status: 'BOOKED', currency: transaction.currency, OR: likely },
    include: { supplier: true },
    orderBy: { id: 'desc' },
    take: atMost,
  });
  return receipts.map(({ id, receiptNumber, amountGross, amountPaid, supplier }) => ({
    type: 'RECEIPT',
    id,
    number: receiptNumber,
    due: new Decimal(amountGross).minus(amountPaid),
    partnerId: supplier?.id ?? null,
    partnerName: supplier?.companyName ?? null,
  }));
}

function judge(candidate: Candidate, transaction: Clues, amount: Decimal, partners: Set<string>): Suggestion {
  const { type, id, number, due, partnerId, partnerName } = candidate;
  const named =
    number !== null &&
    (type === 'INVOICE'
      ? namedNumbers(textOf(transaction)).includes(number)
      : textOf(transaction)
          .split(/[\s,;:]+/)
          .includes(number));
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
  return { type, id, amount: Decimal.min(due, amount), score: Math.min(score, 100), reasons, certain: named && exact };
}

const SuggestionType = builder.objectRef<Suggestion>('MatchSuggestion').implement({
  description: 'What a bank transaction may pay. Confirmed by matchBankTransaction, declined by ignoreBankTransaction.',
  fields: (t) => ({
    type: t.expose('type', { type: MatchType }),
    id: t.expose('id', { type: 'UUID', description: 'Of the invoice or receipt.' }),
    amount: t.expose('amount', { type: 'Decimal', description: 'What would be matched; always positive.' }),
    score: t.exposeInt('score', { description: '0 to 100: how likely it is.' }),
    reasons: t.exposeStringList('reasons', { description: 'Why, in words.' }),
  }),
});

builder.prismaObjectFields(BankTransaction, (t) => ({
  suggestions: t.field({
    type: [SuggestionType],
    description: 'Open invoices or booked receipts that this transaction may pay, likeliest first.',
    ability: 'invoices:read',
    select: {
      amountOpen: true,
      currency: true,
      matchStatus: true,
      counterpartyIban: true,
      counterpartyName: true,
      reference: true,
      externalId: true,
    },
    resolve: (transaction, _args, context) => suggest(context, transaction),
  }),
}));
