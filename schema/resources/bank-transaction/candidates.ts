import type { Suggestion } from './suggestions.ts';
import type { BankTransaction as BankTransactionRow, Prisma } from '../../../prisma/generated/client/client.ts';
import { Decimal } from '../../money/money.ts';
import type { Context } from '../../graphql/context.ts';
import { balanceFields, computeBalance, computeRefundDue } from '../invoice/balance.ts';
import { computeDue } from '../receipt/balance.ts';
import { parseCreditNoteNumber } from '../credit-note/next-number.ts';
import { numbersOfReceived, parseCreditNoteNumbers, parseReceiptNumbers } from './invoice-references.ts';
import { byPartnerName } from '../customer/search.ts';

/** The data of a transaction that suggestions need. */
export type Clues = Pick<
  BankTransactionRow,
  'amountOpen' | 'currency' | 'matchStatus' | 'counterpartyIban' | 'counterpartyName' | 'reference' | 'externalId'
>;

/** A candidate: an open invoice or receipt, or a credit note, in the same terms. */
export interface Candidate {
  type: Suggestion['type'];
  id: string;
  number: string | null;
  due: Decimal;
  partnerId: string | null;
  partnerName: string | null;
}

/** Candidates for each clue. */
export const atMost = 50;

/**
 * The partners with whom earlier transactions of these accounts were matched. Each transaction of an account is looked
 * up by the account, and its payments by the transaction: PostgreSQL would rather read all payments, latest first, where it doesn't know
 * how few an account has. Each is a range of one value, in an order that only one index has: where it believes that a tenant has few
 * rows, any index would do for an equality, and some go through all of them.
 */
export async function findEarlierPartners(
  { db }: Context,
  accounts: (string | null)[],
): Promise<Map<string | null, Set<string>>> {
  const ibans = [...new Set(accounts.filter((iban) => iban))];
  if (ibans.length === 0) return new Map();
  const rows = await db.$rows<{ iban: string; partners: (string | null)[] }>(
    `select iban, array(
       select coalesce(invoice.customer_id, receipt.supplier_id, credit_note.customer_id)::text
       from (
         select payment.* from (
           select id from bank_transactions
           where tenant_id = $1 and counterparty_iban >= iban and counterparty_iban <= iban order by counterparty_iban offset 0
         ) as earlier cross join lateral (
           select id, invoice_id, receipt_id, credit_note_id from payments
           where tenant_id = $1 and bank_transaction_id >= earlier.id and bank_transaction_id <= earlier.id
             and reversed_at is null and reversal_of is null
           order by bank_transaction_id limit ${atMost}
         ) as payment order by payment.id desc limit ${atMost}
       ) as payment
       left join invoices as invoice on invoice.tenant_id = $1 and invoice.id = payment.invoice_id
       left join receipts as receipt on receipt.tenant_id = $1 and receipt.id = payment.receipt_id
       left join credit_notes as credit_note on credit_note.tenant_id = $1 and credit_note.id = payment.credit_note_id
     ) as partners from unnest($2::text[]) as iban`,
    [ibans],
    ['BankTransaction', 'Payment', 'Invoice', 'Receipt', 'CreditNote'],
  );
  return new Map(rows.map(({ iban, partners }) => [iban, new Set(partners.filter((id) => id !== null))]));
}

/**
 * The names that are numbers of open invoices, booked receipts, or credit notes: a query of each for many transactions.
 * @param names numbers as numbersOfReceived() and numbersOfSent() return them
 */
export async function findNumbersOfOpen(
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
export async function creditNotesNumbered(context: Context, names: string[]): Promise<RefundableNote[]> {
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
      where tenant_id = $1 and status = 'booked' and credited_receipt_id is null and lower(receipt_number) = any ($2::text[])`,
    [called],
  );

const called = (names: string[]): Prisma.ReceiptWhereInput => ({
  receiptNumber: { in: [...new Set(names)], mode: 'insensitive' },
});

/** All texts of a transaction that may name an invoice or receipt. */
export const getText = ({ reference, externalId }: Pick<BankTransactionRow, 'reference' | 'externalId'>): string =>
  [reference, externalId].filter(Boolean).join(' ');

/** Words as a bank may cut or capitalise them. */
export const normal = (name: string): string =>
  name
    .toLocaleLowerCase('und')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

type InCurrency = Candidate & { currency: string };

export async function invoicesNumbered(context: Context, numbers: Set<string>): Promise<Map<string, InCurrency[]>> {
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

export async function receiptsCalled(context: Context, names: Set<string>): Promise<Map<string, InCurrency[]>> {
  if (names.size === 0) return new Map();
  const ids = (await bookedReceiptsCalled(context, [...names])).map(({ id }) => id);
  const receipts = await context.db.receipt.findMany({ where: { id: { in: ids } }, include: { supplier: true } });
  return Map.groupBy(
    receipts.map((receipt) => ({ ...receiptCandidate(receipt), currency: receipt.currency })),
    ({ number }) => number?.toLowerCase() ?? '',
  );
}

/** Remembers each result by its text. */
function once<Found>(find: (text: string) => Promise<Found>): (text: string) => Promise<Found> {
  const known = new Map<string, Promise<Found>>();
  return (text) => {
    const found = known.get(text) ?? find(text);
    known.set(text, found);
    return found;
  };
}

/** More partners of one name are not looked for. */
const maxNamesakes = 1000;

/** Clues that transactions have in common: those that are looked at together look each up once. */
export const createCommonClues = (context: Context) => ({
  /**
   * The partners of a name, looked up before their documents: PostgreSQL serves their ids from an index, while a join would make it
   * go through all open documents.
   */
  namesakes: once(async (name) => {
    const rows = await context.db.customer.findMany({
      where: byPartnerName(name),
      select: { id: true },
      orderBy: { id: 'desc' },
      take: maxNamesakes,
    });
    return rows.map(({ id }) => id);
  }),
  /** Open invoices in a currency that are settled in part. */
  partlySettledInvoices: once((currency) =>
    distinct([
      findOpenInvoices(context, currency, { amountPaid: { gt: 0 } }),
      findOpenInvoices(context, currency, { amountCredited: { gt: 0 } }),
    ]),
  ),
  partlyPaidReceipts: once((currency) => findOpenReceipts(context, currency, false, { amountPaid: { not: 0 } })),
  partlyPaidCredits: once((currency) => findOpenReceipts(context, currency, true, { amountPaid: { not: 0 } })),
});

export type CommonClues = ReturnType<typeof createCommonClues>;

/** Open invoices and suppliers' credits, or booked receipts: those that the transaction names, and those with other clues. */
export async function candidates(
  context: Context,
  transaction: Clues,
  partners: Set<string>,
  common: CommonClues,
): Promise<Candidate[]> {
  const open = new Decimal(transaction.amountOpen);
  if (open.isZero()) return [];
  const name = transaction.counterpartyName?.trim();
  const partnerIds = { earlier: [...partners], namesakes: name ? await common.namesakes(name) : [] };
  const found = open.isPositive()
    ? [
        openInvoices(context, transaction, open, partnerIds, common),
        context.may('receipts:read') ? openReceipts(context, transaction, open.negated(), partnerIds, common) : [],
      ]
    : [
        openReceipts(context, transaction, open.abs(), partnerIds, common),
        context.may('invoices:read') ? refundableNotes(context, transaction, open.abs(), partnerIds) : [],
      ];
  return (await Promise.all(found)).flat();
}

/** The ids of customers or suppliers that a transaction may be of, by each clue. */
type PartnerIds = Record<'earlier' | 'namesakes', string[]>;

/** The rows of several queries, without duplicates. With a query for each clue, many rows of one don't displace others. */
async function distinct<Row extends { id: string }>(queries: PromiseLike<Row[]>[]): Promise<Row[]> {
  const rows = (await Promise.all(queries)).flat();
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

const findOpenInvoices = async (
  { db }: Context,
  currency: string,
  clue: Prisma.InvoiceWhereInput,
): Promise<OpenInvoice[]> =>
  db.invoice.findMany({
    where: { AND: [clue], status: 'ISSUED', currency },
    include: { customer: true },
    orderBy: { id: 'desc' },
    take: atMost,
  });

async function openInvoices(
  context: Context,
  transaction: Clues,
  amount: Decimal,
  { earlier, namesakes }: PartnerIds,
  common: CommonClues,
): Promise<Candidate[]> {
  const numbers = numbersOfReceived(getText(transaction));
  const likely: Prisma.InvoiceWhereInput[] = [{ totalGross: amount }];
  if (numbers.length > 0) likely.push({ number: { in: numbers } });
  if (earlier.length > 0) likely.push({ customerId: { in: earlier } });
  if (namesakes.length > 0) likely.push({ customerId: { in: namesakes } });
  const invoices = await distinct([
    ...likely.map((clue) => findOpenInvoices(context, transaction.currency, clue)),
    common.partlySettledInvoices(transaction.currency),
  ]);
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
  { earlier, namesakes }: PartnerIds,
): Promise<Candidate[]> {
  const numbers = parseCreditNoteNumbers(getText(transaction));
  const likely: Prisma.CreditNoteWhereInput[] = [{ totalGross: amount }];
  if (numbers.length > 0) likely.push({ number: { in: numbers } });
  if (earlier.length > 0) likely.push({ customerId: { in: earlier } });
  if (namesakes.length > 0) likely.push({ customerId: { in: namesakes } });
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

export const creditNoteCandidate = ({ customer, invoice, ...creditNote }: RefundableNote): Candidate => ({
  type: 'CREDIT_NOTE',
  id: creditNote.id,
  number: creditNote.number,
  due: computeRefundDue(creditNote, invoice),
  partnerId: customer.id,
  partnerName: customer.companyName,
});

const findOpenReceipts = async (
  { db }: Context,
  currency: string,
  isCredit: boolean,
  clue: Prisma.ReceiptWhereInput,
): Promise<OpenReceipt[]> =>
  db.receipt.findMany({
    where: { AND: [clue, { creditedReceiptId: isCredit ? { not: null } : null }], status: 'BOOKED', currency },
    include: { supplier: true },
    orderBy: { id: 'desc' },
    take: atMost,
  });

/** Booked receipts, or suppliers' credits. @param amount negative for these */
async function openReceipts(
  context: Context,
  transaction: Clues,
  amount: Decimal,
  { earlier, namesakes }: PartnerIds,
  common: CommonClues,
): Promise<Candidate[]> {
  const isCredit = amount.isNegative();
  const names = parseReceiptNumbers(getText(transaction));
  const likely: Prisma.ReceiptWhereInput[] = [{ amountGross: amount }, { amountPayable: amount }];
  if (names.length > 0) likely.push(called(names));
  if (earlier.length > 0) likely.push({ supplierId: { in: earlier } });
  if (namesakes.length > 0) likely.push({ supplierId: { in: namesakes } });
  const receipts = await distinct([
    ...likely.map((clue) => findOpenReceipts(context, transaction.currency, isCredit, clue)),
    isCredit ? common.partlyPaidCredits(transaction.currency) : common.partlyPaidReceipts(transaction.currency),
  ]);
  return receipts.map(receiptCandidate);
}

type OpenReceipt = Prisma.ReceiptGetPayload<{ include: { supplier: true } }>;

const receiptCandidate = ({ supplier, ...receipt }: OpenReceipt): Candidate => ({
  type: 'RECEIPT',
  id: receipt.id,
  number: receipt.receiptNumber,
  due: computeDue(receipt),
  partnerId: supplier?.id ?? null,
  partnerName: supplier?.companyName ?? null,
});
