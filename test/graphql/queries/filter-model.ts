import fc from 'fast-check';
import { getNamedType, type GraphQLInputObjectType } from 'graphql';
import { isPlain } from '../../../prisma/client.ts';
import { maxComparisons } from '../../../schema/graphql/filters/filter-input.ts';
import { Decimal } from '../../../schema/money/money.ts';
import { computeAmountDue, computeAmountToRefund } from '../../../schema/resources/invoice/balance.ts';
import type { Integrator } from '../../harness.ts';

// Books in which filters find something, and what filters mean, computed over all rows.

export type Row = Record<string, unknown> & { id: string };

export const today = new Date('2026-06-15T12:00:00Z');
const day = (number: number): Date => new Date(Date.UTC(2026, 5, 10 + number));
const pick = <Value>(values: Value[], number: number): Value => values[number % values.length] as Value;

/** The exchange rates of documents. */
const exchangeRates = ['0.123456789012', '0.123456789013', '1.5'];
/** The lengths of the files of exports. */
const fileLengths = [1_000_000_007, 999, 2_147_483_647, 1_000_000_006];

export async function fillBooks({ db, userId }: Integrator): Promise<void> {
  const numbers = [...Array(18).keys()];
  const customers = await db.customer.createManyAndReturn({
    data: numbers.slice(0, 6).map((n) => ({
      type: pick(['CUSTOMER', 'SUPPLIER'] as const, n),
      companyName: pick(['Alpha', 'alpine', 'Beta_', 'b%ta', 'Ärger'], n),
      country: pick(['AT', 'AT', 'DE', null], n),
      paymentTermsDays: pick([null, 7, 14], n),
      metadata: metadataOf(n),
      requiredEInvoice: pick([null, 'NONE', 'PEPPOL'] as const, n),
    })),
  });
  const invoices = await db.invoice.createManyAndReturn({
    data: numbers.map((n) => {
      const status = pick(['DRAFT', 'ISSUED', 'PAID', 'CANCELLED', 'ISSUED'] as const, n);
      const gross = pick([100, 100, 250, 0.5, 70], n);
      const isSettled = status === 'PAID';
      return {
        metadata: metadataOf(n),
        customerId: pick(customers, n).id,
        status,
        number: status === 'DRAFT' ? null : `2026-${String(n).padStart(4, '0')}`,
        invoiceDate: day(n % 3),
        dueDate: day(2 + (n % 7)),
        subject: pick([null, 'Web site', 'web shop', 'Hosting'], n),
        currency: pick(['EUR', 'USD'], n),
        ...rateOf(n),
        totalNet: gross,
        totalVat: 0,
        totalGross: gross,
        amountPaid: isSettled ? gross : status === 'ISSUED' ? pick([0, 20], n >> 1) : 0,
        amountCredited: status === 'CANCELLED' ? gross : isSettled ? pick([0, gross / 2], n >> 1) : 0,
        issuedAt: status === 'DRAFT' ? null : new Date('2026-06-10T08:00:00.123Z'),
        paidAt: isSettled ? new Date(Date.UTC(2026, 5, 11, n % 3)) : null,
        cancelledAt: status === 'CANCELLED' ? new Date('2026-06-12T08:00:00Z') : null,
      };
    }),
  });
  await db.receipt.createMany({
    data: numbers.map((n) => ({
      supplierId: pick([null, ...customers.filter(({ type }) => type === 'SUPPLIER').map(({ id }) => id)], n),
      status: pick(['DRAFT', 'BOOKED'] as const, n),
      receiptDate: day(n % 4),
      category: pick([null, 'travel', 'Office'], n),
      metadata: metadataOf(n),
      currency: 'EUR',
      amountGross: pick([119, 10, 10.5], n),
      vatRate: pick([19, 0], n),
      vatAmount: 0,
      amountNet: pick([119, 10, 10.5], n),
    })),
  });
  const projects = await db.project.createManyAndReturn({
    data: numbers.slice(0, 5).map((n) => ({
      customerId: pick([...customers.map(({ id }) => id), null], n),
      name: pick(['Shop', 'shop 2', 'Other'], n),
      status: pick(['ACTIVE', 'COMPLETED', 'ARCHIVED'] as const, n),
      currency: 'EUR',
      hourlyRateNet: pick([null, 90, 90.5], n),
      startDate: pick([null, day(1)], n),
      metadata: metadataOf(n),
    })),
  });
  await db.timeEntry.createMany({
    data: numbers.map((n) => ({
      projectId: pick(projects, n).id,
      invoiceId: pick([null, pick(invoices, n).id], n),
      userId,
      date: day(n % 4),
      durationMinutes: pick([15, 60, 90], n),
      billable: n % 3 > 0,
      metadata: metadataOf(n),
    })),
  });
  const accounts = await db.bankAccount.createManyAndReturn({
    data: numbers.map((n) => ({
      iban: `DE${n}`,
      currency: pick(['EUR', 'CHF'], n),
      name: pick([null, 'Giro', 'giro 2'], n),
      metadata: metadataOf(n),
    })),
  });
  await db.bankStatement.createMany({
    data: numbers.map((n) => ({
      bankAccountId: pick(accounts.slice(0, 4), n).id,
      number: pick([null, '7', '12'], n),
      fromDate: day(n % 2),
      toDate: day(2 + (n % 3)),
      openingBalance: n,
      closingBalance: pick([-5, 0.00001, 7], n),
    })),
  });
  await db.bankTransaction.createMany({
    data: numbers.map((n) => ({
      accountIban: pick(['DE1', 'DE2'], n),
      bookingDate: day(n % 4),
      valueDate: pick([null, day(n % 2)], n),
      amount: pick([-5, 0.00001, 7], n),
      amountOpen: pick([-5, 0, 0], n),
      currency: 'EUR',
      counterpartyName: pick([null, ' Alpha', 'beta'], n),
      matchStatus: pick(['UNMATCHED', 'MATCHED', 'MATCHED'] as const, n),
    })),
  });
  await db.webhook.createMany({
    data: numbers.slice(0, 8).map((n) => ({
      url: pick(['https://a.example.com/1', 'https://A.example.com/2', 'https://b.example.com'], n),
      description: pick([null, 'Shop', 'the shop'], n),
      secret: new Uint8Array(1),
      active: n % 2 > 0,
      consecutiveFailures: n % 3,
      lastFailureAt: pick([null, day(n % 2)], n),
      deletedAt: n > 5 ? day(1) : null,
    })),
  });
  const paid = invoices.filter(({ status }) => status === 'PAID');
  await db.payment.createMany({
    data: paid.map(({ id }, n) => ({
      invoiceId: id,
      amount: 1 + (n % 2),
      currency: 'EUR',
      paidOn: day(n % 2),
      externalId: pick([null, `Charge ${n}`, `charge_${n}`], n),
      metadata: metadataOf(n),
    })),
  });
  await db.creditNote.createMany({
    data: invoices
      .filter(({ amountCredited }) => Number(amountCredited) > 0)
      .map(({ id, customerId, currency, amountCredited }, n) => ({
        invoiceId: id,
        customerId,
        number: `CN-2026-${String(n).padStart(4, '0')}`,
        creditNoteDate: day(n % 3),
        reason: pick([null, 'Returned', 'returned late'], n),
        isCancellation: n % 2 > 0,
        currency,
        ...rateOf(n),
        totalNet: amountCredited,
        totalVat: 0,
        totalGross: amountCredited,
        vatBreakdown: [],
        amountRefunded: pick([0, 0.5], n),
        metadata: metadataOf(n),
      })),
  });
  await db.bulkOperation.createMany({
    data: numbers.map((n) => {
      const status = pick(['COMPLETED', 'FAILED', 'CANCELLED', 'PENDING'] as const, n);
      const [succeededLines, failedLines] = status === 'PENDING' ? [0, 0] : [pick([3, 5, 5], n), pick([0, 1], n)];
      return {
        resource: pick(['CUSTOMERS', 'INVOICES', 'TIME_ENTRIES'] as const, n),
        action: pick(['CREATE', 'UPSERT'] as const, n),
        status,
        lines: 7,
        processedLines: succeededLines + failedLines,
        succeededLines,
        failedLines,
        error: status === 'FAILED' ? pick(['Access ended.', 'access was revoked'], n >> 2) : null,
        userId,
        startedAt: status === 'PENDING' ? null : day(n % 2),
        ...slotOf(status, n),
      };
    }),
  });
  await db.export.createMany({
    data: numbers.map((n) => {
      const status = pick(['COMPLETED', 'COMPLETED', 'FAILED', 'PENDING'] as const, n);
      const type = pick(['LIST', 'DATEV', 'OPEN_ITEMS'] as const, n);
      const isWritten = status === 'COMPLETED';
      return {
        type,
        format: type === 'DATEV' ? null : pick(['CSV', 'XLSX'] as const, n),
        resource: type === 'LIST' ? pick(['INVOICES', 'AUDIT_LOG'] as const, n) : null,
        from: type === 'DATEV' ? day(n % 2) : null,
        to: type === 'DATEV' ? day(2 + (n % 2)) : null,
        at: type === 'OPEN_ITEMS' ? day(n % 3) : null,
        side: type === 'OPEN_ITEMS' ? pick(['RECEIVABLE', 'PAYABLE'] as const, n >> 1) : null,
        chart: type === 'DATEV' ? pick(['SKR03', 'SKR04'] as const, n >> 1) : null,
        consultantNumber: type === 'DATEV' ? pick([null, 1001], n >> 1) : null,
        clientNumber: type === 'DATEV' ? pick([null, 1, 2], n >> 1) : null,
        status,
        rows: isWritten ? pick([0, 12, 12], n) : null,
        processedRows: isWritten ? pick([0, 12, 12], n) : 0,
        error: status === 'FAILED' ? pick(['Too large.', 'too long'], n >> 2) : null,
        fileName: isWritten ? pick(['a.csv', 'A.csv', 'b.zip'], n) : null,
        length: isWritten ? pick(fileLengths, n) : null,
        expiresAt: isWritten ? day(20 + (n % 2)) : null,
        userId,
        startedAt: status === 'PENDING' ? null : day(n % 2),
        ...slotOf(status, n),
      };
    }),
  });
}

/** The slot of an operation that isn't done yet, or the end of one that is. */
const slotOf = (status: string, n: number): { slot: number | null; finishedAt: Date | null } =>
  status === 'PENDING' ? { slot: n, finishedAt: null } : { slot: null, finishedAt: day(2 + (n % 2)) };

/** An exchange rate of a document, or none. */
const rateOf = (n: number) =>
  n % 4 === 3
    ? {}
    : {
        exchangeRate: pick(exchangeRates, n),
        exchangeRateDate: day(n % 2),
        exchangeRateSource: pick([null, 'ECB', 'ecb'], n),
        exchangeCurrency: pick(['GBP', 'CHF'], n),
      };

/** The lists, with the related rows that their filters look at. */
export const lists: Record<string, { type: string; rows: (db: Integrator['db']) => Promise<unknown[]> }> = {
  customers: { type: 'Customer', rows: (db) => db.customer.findMany() },
  invoices: { type: 'Invoice', rows: (db) => db.invoice.findMany({ include: { customer: true } }) },
  creditNotes: {
    type: 'CreditNote',
    rows: (db) => db.creditNote.findMany({ include: { customer: true, invoice: { include: { customer: true } } } }),
  },
  receipts: {
    type: 'Receipt',
    rows: (db) => db.receipt.findMany({ include: { supplier: true, project: { include: { customer: true } } } }),
  },
  projects: { type: 'Project', rows: (db) => db.project.findMany({ include: { customer: true } }) },
  timeEntries: {
    type: 'TimeEntry',
    rows: (db) =>
      db.timeEntry.findMany({
        include: { project: { include: { customer: true } }, invoice: { include: { customer: true } } },
      }),
  },
  bankAccounts: { type: 'BankAccount', rows: (db) => db.bankAccount.findMany() },
  bankStatements: {
    type: 'BankStatement',
    rows: (db) => db.bankStatement.findMany({ include: { bankAccount: true } }),
  },
  bankTransactions: { type: 'BankTransaction', rows: (db) => db.bankTransaction.findMany() },
  webhooks: { type: 'Webhook', rows: (db) => db.webhook.findMany({ where: { deletedAt: null } }) },
  bulkOperations: { type: 'BulkOperation', rows: (db) => db.bulkOperation.findMany() },
  exports: { type: 'Export', rows: (db) => db.export.findMany() },
  payments: {
    type: 'Payment',
    rows: (db) =>
      db.payment.findMany({
        include: { invoice: { include: { customer: true } }, creditNote: true, receipt: true, reversalOf: true },
      }),
  },
};

/** A value of a row; of an invoice, also what PostgreSQL generates or the service computes. */
export function read(type: string, row: Row, name: string): unknown {
  const invoice = row as never as Parameters<typeof computeAmountDue>[0] & { dueDate: Date };
  if (type === 'InvoiceFilter' && name === 'amountDue') return computeAmountDue(invoice);
  if (type === 'InvoiceFilter' && name === 'amountToRefund') return computeAmountToRefund(invoice);
  if (type === 'InvoiceFilter' && name === 'isOverdue')
    return invoice.status === 'ISSUED' && invoice.dueDate < new Date('2026-06-15');
  return row[name] ?? null;
}

/** A value as a client writes it. */
function write(value: unknown, scalar: string): unknown {
  if (scalar === 'Metadata') return value;
  if (value instanceof Date) return scalar === 'Date' ? value.toISOString().slice(0, 10) : value.toISOString();
  return typeof value === 'object' && value !== null ? String(value) : value;
}

/** Values whose order is that of what they stand for. */
function comparable(value: unknown, scalar: string): number | string | boolean {
  if (scalar === 'Decimal') return new Decimal(String(value)).toNumber();
  if (scalar === 'Date' || scalar === 'DateTime') return Number(new Date(String(write(value, scalar))));
  return value as string;
}

type Comparisons = Record<string, unknown>;

function holds(value: unknown, comparisons: Comparisons, scalar: string): boolean {
  return Object.entries(comparisons).every(([operator, given]) => {
    if (operator === 'isNull') return (value === null) === given;
    if (operator === 'nin' && (given as unknown[]).length === 0) return true;
    if (value === null) return false;
    if (scalar === 'Metadata')
      return Object.entries(given as object).every(
        ([key, wanted]) => Object.hasOwn(value as object, key) && (value as Comparisons)[key] === wanted,
      );
    const own = comparable(value, scalar);
    const other = [given].flat().map((each) => comparable(each, scalar));
    const first = other[0] ?? '';
    const texts = [String(own).toLowerCase(), String(first).toLowerCase()] as const;
    switch (operator) {
      case 'eq':
        return own === first;
      case 'neq':
        return own !== first;
      case 'in':
        return other.includes(own);
      case 'nin':
        return !other.includes(own);
      case 'lt':
        return own < first;
      case 'lte':
        return own <= first;
      case 'gt':
        return own > first;
      case 'gte':
        return own >= first;
      case 'startsWith':
        return texts[0].startsWith(texts[1]);
      case 'contains':
        return texts[0].includes(texts[1]);
      default:
        throw new Error(`Unknown operator ${operator}`);
    }
  });
}

const scalarOf = (comparator: GraphQLInputObjectType): string => {
  const { eq, contains } = comparator.getFields();
  return getNamedType((eq ?? contains)!.type).name;
};

/** Some metadata, by a row's number: pairs of which rows have none, some, or all. */
const metadataOf = (n: number): object =>
  JSON.parse(pick(['{}', '{"a":"1"}', '{"a":"1","b":"2"}', '{"a":"2","__proto__":"x%"}', '{"B":"2"}'], n)) as object;

/** Whether a filter says anything of a row: without, it finds a row that isn't there, too. */
function hasConditions(type: GraphQLInputObjectType, filter: object): boolean {
  return Object.entries(filter).some(([name, part]: [string, object]) => {
    if (name === 'and') return (part as object[]).some((each) => hasConditions(type, each));
    if (name === 'or') return (part as object[]).every((each) => hasConditions(type, each));
    const of = getNamedType(type.getFields()[name]!.type) as GraphQLInputObjectType;
    if (!of.name.endsWith('Comparator')) return hasConditions(of, part);
    // `metadata: { contains: {} }` names no pairs.
    return Object.values(part).some((value) => !isPlain(value) || Object.keys(value).length > 0);
  });
}

export function finds(type: GraphQLInputObjectType, row: Row | null, filter: Record<string, unknown>): boolean {
  if (row === null) return !hasConditions(type, filter);
  return Object.entries(filter).every(([name, part]) => {
    if (name === 'and') return (part as object[]).every((each) => finds(type, row, each as never));
    if (name === 'or') return (part as object[]).some((each) => finds(type, row, each as never));
    const of = getNamedType(type.getFields()[name]!.type) as GraphQLInputObjectType;
    if (of.name.endsWith('Comparator')) return holds(read(type.name, row, name), part as Comparisons, scalarOf(of));
    return finds(of, (row[name] ?? null) as Row | null, part as never);
  });
}

function countComparisons(part: unknown): number {
  const isComparedList = Array.isArray(part) && !isPlain(part[0]);
  if (typeof part !== 'object' || part === null || isComparedList) return 1;
  return Object.values(part).reduce((sum: number, each: unknown) => sum + countComparisons(each), 0);
}

/** Filters of a type, with values that some of the rows have, and as many comparisons as are allowed. */
export const filtersOf = (...of: Parameters<typeof filtersOfAnySize>): ReturnType<typeof filtersOfAnySize> =>
  filtersOfAnySize(...of).filter((filter) => countComparisons(filter) <= maxComparisons);

function filtersOfAnySize(
  type: GraphQLInputObjectType,
  rows: Row[],
  depth: number,
): fc.Arbitrary<Record<string, unknown>> {
  const names = Object.keys(type.getFields()).filter((name) => name !== 'q');
  const fieldsOf = (name: string): fc.Arbitrary<unknown> => {
    const of = getNamedType(type.getFields()[name]!.type) as GraphQLInputObjectType;
    if (name === 'and' || name === 'or')
      return fc.array(filtersOfAnySize(type, rows, depth - 1), { minLength: 1, maxLength: 3 });
    if (!of.name.endsWith('Comparator')) {
      const related = rows.flatMap((row) => (row[name] ?? []) as Row);
      return filtersOfAnySize(of, related, depth - 1);
    }
    const scalar = scalarOf(of);
    const there = rows.map((row) => read(type.name, row, name)).filter((value) => value !== null);
    const values = fc.constantFrom<unknown[]>(
      ...(there.length > 0 ? there : [null]).map((value) => write(value, scalar)),
    );
    const operators = Object.keys(of.getFields()).filter((each) => each === 'isNull' || there.length > 0);
    if (operators.length === 0) return fc.constant({});
    return fc
      .uniqueArray(fc.constantFrom(...operators), { minLength: 1, maxLength: 2 })
      .chain((chosen) =>
        fc.record(
          Object.fromEntries(
            chosen.map((each) => [each, scalar === 'Metadata' ? someOf(values) : valueFor(each, values)]),
          ),
        ),
      )
      .filter((comparisons) => !('gte' in comparisons && 'lte' in comparisons)); // may be a period without a day
  };
  const all = names.filter(
    (name) => depth > 0 || getNamedType(type.getFields()[name]!.type).name.endsWith('Comparator'),
  );
  return fc
    .uniqueArray(fc.constantFrom(...all), { minLength: 1, maxLength: 3 })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((name) => [name, fieldsOf(name)]))));
}

/** Some of the pairs of a row's metadata. */
const someOf = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  values
    .chain((value) => fc.subarray(Object.entries(value as object)))
    .map((pairs) => Object.fromEntries(pairs) as object);

function valueFor(operator: string, values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  if (operator === 'isNull') return fc.boolean();
  if (operator === 'in' || operator === 'nin') return fc.array(values, { maxLength: 3 });
  if (operator === 'startsWith' || operator === 'contains')
    return fc
      .tuple(values, fc.nat(3), fc.nat(4))
      .map(([text, from, length]) =>
        String(text).slice(operator === 'contains' ? from : 0, (operator === 'contains' ? from : 0) + length),
      );
  return values;
}
