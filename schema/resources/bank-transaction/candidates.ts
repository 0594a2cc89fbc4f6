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
 * how few an account has.
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
           select id from bank_transactions where tenant_id = $1 and counterparty_iban = iban offset 0
         ) as earlier cross join lateral (
           select id, invoice_id, receipt_id, credit_note_id from payments
           where tenant_id = $1 and bank_transaction_id = earlier.id and reversed_at is null and reversal_of is null offset 0
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

/** Open invoices and suppliers' credits, or booked receipts: those that the transaction names, and those with other clues. */
export async function candidates(context: Context, transaction: Clues, partners: Set<string>): Promise<Candidate[]> {
  const open = new Decimal(transaction.amountOpen);
  if (open.isZero()) return [];
  const found = open.isPositive()
    ? [
        openInvoices(context, transaction, open, partners),
        context.may('receipts:read') ? openReceipts(context, transaction, open.negated(), partners) : [],
      ]
    : [
        openReceipts(context, transaction, open.abs(), partners),
        context.may('invoices:read') ? refundableNotes(context, transaction, open.abs(), partners) : [],
      ];
  return (await Promise.all(found)).flat();
}

/** The rows of several queries, without duplicates. With a query for each clue, many rows of one don't displace others. */
async function distinct<Row extends { id: string }>(queries: PromiseLike<Row[]>[]): Promise<Row[]> {
  const rows = (await Promise.all(queries)).flat();
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}

async function openInvoices(
  context: Context,
  transaction: Clues,
  amount: Decimal,
  partners: Set<string>,
): Promise<Candidate[]> {
  const likely: Prisma.InvoiceWhereInput[] = [{ number: { in: numbersOfReceived(getText(transaction)) } }];
  const name = transaction.counterpartyName?.trim();
  likely.push({ totalGross: amount }, { amountPaid: { gt: 0 } }, { customerId: { in: [...partners] } });
  likely.push({ amountCredited: { gt: 0 } });
  if (name) likely.push({ customer: byPartnerName(name) });
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
  if (name) likely.push({ customer: byPartnerName(name) });
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

/** Booked receipts, or suppliers' credits. @param amount negative for these */
async function openReceipts(
  context: Context,
  transaction: Clues,
  amount: Decimal,
  partners: Set<string>,
): Promise<Candidate[]> {
  const likely: Prisma.ReceiptWhereInput[] = [called(parseReceiptNumbers(getText(transaction)))];
  const name = transaction.counterpartyName?.trim();
  likely.push({ amountGross: amount }, { amountPayable: amount }, { amountPaid: { not: 0 } });
  likely.push({ supplierId: { in: [...partners] } });
  if (name) likely.push({ supplier: byPartnerName(name) });
  const direction = { creditedReceiptId: amount.isNegative() ? { not: null } : null };
  const receipts = await distinct(
    likely.map((clue) =>
      context.db.receipt.findMany({
        where: { AND: [clue, direction], status: 'BOOKED', currency: transaction.currency },
        include: { supplier: true },
        orderBy: { id: 'desc' },
        take: atMost,
      }),
    ),
  );
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
