import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import { delegateName, type NewRow, type Row, type Rows } from '../../prisma/client.ts';
import type { CsvColumn } from '../bank-import/parsers/csv.ts';
import { StatementError } from '../bank-import/parsers/transaction.ts';
import { today, type Context } from '../context.ts';
import { Problems, refuse } from '../errors.ts';
import { Decimal, minorDigits, vatIncluded, type Line } from '../money/money.ts';
import { maxItems, newDraft, totalRules } from '../resources/invoice/mutations.ts';
import { continueAfter } from '../resources/invoice/next-number.ts';
import { supplierRules } from '../resources/receipt/receipt.ts';
import type { Kind } from './kinds.ts';
import { FileError, maxErrors, readRows, type CsvFormat, type CsvRow, type RecordError } from './read-file.ts';
import { createRowReader, type Values } from './read-row.ts';
import { findMembers, findReferred } from './references.ts';

/** A file of the most rows takes seconds. */
const importLimits = { timeout: 5 * 60 * 1000 };

/** The event loop serves others after so many rows. */
const rowsAtOnce = 100;

/** The records that one statement writes. */
const batchRecords = 500;

export interface RecordImport {
  /** Records that were new; in a dry run, that would be. */
  imported: number;
  /** Records that were imported before. */
  skipped: number;
  errors: RecordError[];
}

export interface ImportedFile {
  path: string;
  format: CsvFormat;
  columns: ReadonlyMap<string, CsvColumn>;
  defaults: ReadonlyMap<string, string>;
}

/** A record of a file: its rows, which are several for an invoice with several lines. */
interface Record {
  externalId: string;
  rows: { row: CsvRow; values: Values }[];
}

/**
 * Imports records of another system, all of them or none (DECISIONS.md#d81-imports). A record that was imported before is
 * skipped, whatever the file says of it. No event is recorded.
 */
export async function importRecords(
  context: Context,
  schema: GraphQLSchema,
  kind: Kind,
  file: ImportedFile,
  { dryRun }: { dryRun: boolean },
): Promise<RecordImport> {
  const errors = new Errors(file.columns);
  let records: Record[];
  let rows: CsvRow[];
  try {
    rows = await readRows(file.path, file.format, file.columns, file.defaults);
    records = await readRecords(schema, kind, file.format, rows, errors);
  } catch (error) {
    if (error instanceof FileError) return { imported: 0, skipped: 0, errors: [error.at] };
    throw error;
  }
  try {
    return await context.transaction(async (inside) => {
      if (!(await inside.db.tryAdvisoryLock('record import')))
        refuse('file', 'Another import of this tenant is under way. Try again when it has ended.');
      const there = await externalIdsThere(inside, kind, records);
      const added = records.filter(({ externalId }) => !there.has(externalId));
      const made = await makeRows(inside, kind, added, rows, errors);
      if (errors.all.length > 0) throw new TakenBack({ imported: 0, skipped: 0, errors: errors.all });
      await write(inside, kind, made);
      const result = { imported: added.length, skipped: records.length - added.length, errors: [] };
      if (dryRun) throw new TakenBack(result);
      return result;
    }, importLimits);
  } catch (error) {
    if (error instanceof TakenBack) return error.result;
    throw error;
  }
}

/** Ends the transaction without its writes. */
class TakenBack extends Error {
  readonly result: RecordImport;

  constructor(result: RecordImport) {
    super('Taken back');
    this.result = result;
  }
}

/** Collects errors by line and column. */
class Errors {
  readonly all: RecordError[] = [];
  readonly #columns: ReadonlyMap<string, CsvColumn>;

  constructor(columns: ReadonlyMap<string, CsvColumn>) {
    this.#columns = columns;
  }

  /** @param field of the record; a field without a column is named by itself */
  add({ line }: CsvRow, field: string, message: string): void {
    if (this.all.length === maxErrors) return;
    const column = this.#columns.get(field);
    this.all.push({ line, column: String(column ?? field), message });
  }

  addAll(row: CsvRow, problems: Problems): void {
    for (const [path, messages] of Object.entries(problems.errors))
      for (const message of messages) this.add(row, path, message);
  }
}

async function readRecords(
  schema: GraphQLSchema,
  kind: Kind,
  format: CsvFormat,
  rows: CsvRow[],
  errors: Errors,
): Promise<Record[]> {
  let read;
  try {
    read = createRowReader(schema, kind, format);
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    throw new FileError({ line: null, column: null, message: error.message });
  }
  const records = new Map<string, Record>();
  for (const [at, row] of rows.entries()) {
    if (at % rowsAtOnce === 0) await nextTurn();
    const problems = new Problems();
    const values = read(row, problems);
    errors.addAll(row, problems);
    const { externalId } = values;
    if (typeof externalId !== 'string') continue;
    const record = records.get(externalId);
    if (!record) records.set(externalId, { externalId, rows: [{ row, values }] });
    else if (kind.model === 'Invoice') record.rows.push({ row, values });
    else errors.add(row, 'externalId', `Line ${record.rows[0]?.row.line} has the same.`);
  }
  return [...records.values()];
}

async function externalIdsThere({ db }: Context, { model }: Kind, records: Record[]): Promise<Set<string>> {
  const delegate: { findMany(query: object): Promise<{ externalId: string | null }[]> } = db[delegateName(model)];
  const there = new Set<string>();
  for (let start = 0; start < records.length; start += batchRecords) {
    const externalId = { in: records.slice(start, start + batchRecords).map((record) => record.externalId) };
    for (const row of await delegate.findMany({ where: { externalId }, select: { id: true, externalId: true } }))
      if (row.externalId !== null) there.add(row.externalId);
  }
  return there;
}

/** The rows of records, valid by themselves, that aren't written yet. */
interface Made {
  rows: Rows[];
  /** Numbers of invoices that were issued elsewhere. */
  numbers: string[];
}

async function makeRows(
  context: Context,
  kind: Kind,
  records: Record[],
  rows: CsvRow[],
  errors: Errors,
): Promise<Made> {
  const make = await makers[kind.model](context, rows, errors);
  const made: Made = { rows: [], numbers: [] };
  const numberLines = new Map<string, number>();
  for (const [at, record] of records.entries()) {
    if (at % rowsAtOnce === 0) await nextTurn();
    const [first] = record.rows;
    if (!first || errors.all.length === maxErrors) break;
    const one = make(record, first);
    if (one) made.rows.push(one);
    const { number } = first.values;
    if (kind.model !== 'Invoice' || typeof number !== 'string') continue;
    const line = numberLines.get(number);
    if (line !== undefined) errors.add(first.row, 'number', `The invoice of line ${line} has the same.`);
    numberLines.set(number, first.row.line);
    made.numbers.push(number);
  }
  if (made.numbers.length > 0) {
    // The sequences are locked first, so that nobody gives a number out meanwhile.
    await continueAfter(context, made.numbers);
    const firstRows = new Map(records.map(({ rows: [first] }) => [first?.values['number'], first?.row]));
    for (const number of await numbersThere(context, made.numbers)) {
      const row = firstRows.get(number);
      if (row) errors.add(row, 'number', 'Another invoice has this number.');
    }
  }
  return made;
}

async function numbersThere({ db }: Context, numbers: string[]): Promise<string[]> {
  const there: string[] = [];
  for (let start = 0; start < numbers.length; start += batchRecords) {
    const number = { in: numbers.slice(start, start + batchRecords) };
    const found = await db.invoice.findMany({ where: { number }, select: { id: true, number: true } });
    there.push(...found.flatMap((row) => row.number ?? []));
  }
  return there;
}

type First = Record['rows'][number];

/** Makes the rows of a record; undefined where it has errors. */
type Make = (record: Record, first: First) => Rows | undefined;
type Maker = (context: Context, rows: CsvRow[], errors: Errors) => Promise<Make>;

/** The values that are fields of the model: they have been read as such. */
function fieldsOf<Of extends Kind['model']>(values: Values, own: string[]): NewRow<Of> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !own.includes(name))) as unknown as NewRow<Of>;
}

const makers: { [Model in Kind['model']]: Maker } = {
  Customer:
    async ({ db }) =>
    (_record, { values }) => ({ Customer: [db.row('Customer', fieldsOf<'Customer'>(values, []))] }),

  Project: async (context, rows, errors) => {
    const findCustomer = await findReferred(context, rows, 'customer');
    return (_record, { row, values }) => {
      const customerId = referred(findCustomer, 'customer', row, values, errors);
      const { startDate, endDate } = values;
      if (startDate instanceof Date && endDate instanceof Date && endDate < startDate)
        errors.add(row, 'endDate', 'Must not be before the start date.');
      const currency = currencyOf(context, values);
      const fields = { ...fieldsOf<'Project'>(values, ['customer']), currency, customerId };
      return { Project: [context.db.row('Project', fields)] };
    };
  },

  Invoice: async (context, rows, errors) => {
    const findCustomer = await findReferred(context, rows, 'customer');
    return (record, first) => invoiceOf(context, record, first, errors, findCustomer);
  },

  Receipt: async (context, rows, errors) => {
    const findSupplier = await findReferred(context, rows, 'supplier');
    const findProject = await findReferred(context, rows, 'project');
    await lockSuppliers(context, rows, findSupplier);
    return (_record, { row, values }) => {
      const supplierId = referred(findSupplier, 'supplier', row, values, errors);
      const projectId = referred(findProject, 'project', row, values, errors);
      const currency = currencyOf(context, values);
      const { amountGross, vatRate = new Decimal(0), paidOn } = values;
      if (!(amountGross instanceof Decimal) || !(vatRate instanceof Decimal) || currency === null) return undefined;
      if (!checkDecimals(row, 'amountGross', amountGross, currency, errors)) return undefined;
      const split = vatIncluded(amountGross, vatRate, currency);
      const fields = { ...fieldsOf<'Receipt'>(values, ['supplier', 'project', 'paidOn']), vatRate, ...split, currency };
      const isPaid = paidOn instanceof Date;
      const receipt = context.db.row('Receipt', {
        ...fields,
        supplierId,
        projectId,
        status: isPaid ? 'PAID' : 'BOOKED',
        ...(isPaid && { amountPaid: amountGross, paidAt: paidOn }),
      });
      if (!isPaid || amountGross.isZero()) return { Receipt: [receipt] };
      const payment = { receiptId: receipt.id, amount: amountGross, currency, paidOn };
      return { Receipt: [receipt], Payment: [context.db.row('Payment', payment)] };
    };
  },

  TimeEntry: async (context, rows, errors) => {
    const findProject = await findReferred(context, rows, 'project');
    const findMember = await findMembers(context);
    const rates = await lockProjects(context, rows, findProject);
    return (_record, { row, values }) => {
      const projectId = referred(findProject, 'project', row, values, errors);
      const userId = referred(findMember, 'person', row, values, errors) ?? context.user.id;
      const durationMinutes = durationOf(row, values, errors);
      if (projectId === null || durationMinutes === undefined) return undefined;
      const fields = fieldsOf<'TimeEntry'>(values, ['project', 'person', 'duration', 'hours']);
      const hourlyRateNet = fields.hourlyRateNet ?? rates.get(projectId) ?? null;
      return {
        TimeEntry: [context.db.row('TimeEntry', { ...fields, projectId, userId, durationMinutes, hourlyRateNet })],
      };
    };
  },
};

const currencyOf = ({ tenant }: Context, { currency }: Values): string =>
  typeof currency === 'string' ? currency : tenant.defaultCurrency;

/** The id of what a column names; null where it names nothing, or there is no such row. */
function referred(
  find: Awaited<ReturnType<typeof findReferred>>,
  field: string,
  row: CsvRow,
  values: Values,
  errors: Errors,
): string | null {
  const text = values[field];
  if (typeof text !== 'string') return null;
  const found = find(text);
  if ('id' in found) return found.id;
  errors.add(row, field, found.fault);
  return null;
}

function checkDecimals(row: CsvRow, field: string, amount: Decimal, currency: string, errors: Errors): boolean {
  const digits = minorDigits(currency);
  if (amount.decimalPlaces() <= digits) return true;
  errors.add(row, field, `Must not have more than ${digits} decimals in this currency.`);
  return false;
}

/** Suppliers stay suppliers until the transaction ends. */
async function lockSuppliers(context: Context, rows: CsvRow[], find: Awaited<ReturnType<typeof findReferred>>) {
  for (const id of idsOf(rows, 'supplier', find)) {
    const problems = new Problems();
    supplierRules(await context.db.lock('Customer', id, 'key share'), problems);
    problems.throwIfAny();
  }
}

/** Projects keep their currency until the transaction ends. @returns their hourly rates */
async function lockProjects(
  context: Context,
  rows: CsvRow[],
  find: Awaited<ReturnType<typeof findReferred>>,
): Promise<Map<string, Row<'Project'>['hourlyRateNet']>> {
  const rates = new Map<string, Row<'Project'>['hourlyRateNet']>();
  for (const id of idsOf(rows, 'project', find)) {
    const project = await context.db.lock('Project', id, 'key share');
    if (project) rates.set(id, project.hourlyRateNet);
  }
  return rates;
}

const idsOf = (rows: CsvRow[], field: string, find: Awaited<ReturnType<typeof findReferred>>): string[] =>
  [
    ...new Set(
      rows.flatMap(({ cells }) => {
        const found = find(cells.get(field) ?? '');
        return 'id' in found ? found.id : [];
      }),
    ),
  ].toSorted();

/** The most of a day. */
const maxMinutes = 1440;

function durationOf(row: CsvRow, { duration, hours }: Values, errors: Errors): number | undefined {
  if ((duration === undefined) === (hours === undefined)) {
    errors.add(row, 'duration', 'Give the time worked as either a duration or hours.');
    return undefined;
  }
  const minutes = hours instanceof Decimal ? hours.times(60).round().toNumber() : Number(duration);
  if (minutes >= 1 && minutes <= maxMinutes) return minutes;
  errors.add(row, hours === undefined ? 'duration' : 'hours', `Must be from 1 to ${maxMinutes} minutes.`);
  return undefined;
}

/** An invoice that was issued elsewhere, with its number. */
function invoiceOf(
  context: Context,
  { externalId, rows }: Record,
  { row, values }: First,
  errors: Errors,
  findCustomer: Awaited<ReturnType<typeof findReferred>>,
): Rows | undefined {
  const customerId = referred(findCustomer, 'customer', row, values, errors);
  const { number, invoiceDate, dueDate, subject, paidOn, totalGross } = values;
  const currency = currencyOf(context, values);
  for (const other of rows.slice(1))
    for (const field of ['number', 'customer', 'invoiceDate', 'dueDate', 'currency', 'paidOn', 'totalGross'])
      if (String(other.values[field] ?? '') !== String(values[field] ?? ''))
        errors.add(other.row, field, `Differs from line ${row.line}, which is of the same invoice.`);
  const items = rows.flatMap((each) => itemOf(each) ?? []);
  if (customerId === null || typeof number !== 'string' || !(invoiceDate instanceof Date)) return undefined;
  if (items.length < rows.length) return undefined;
  /** The rules of an invoice name its lines: `input.items.0`. */
  const addLineError = (path: string, message: string): void => {
    const [, index] = /^input\.items(?:\.(\d+))?/.exec(path) ?? [];
    const at = index === undefined ? row : (rows[Number(index)]?.row ?? row);
    errors.add(at, path.startsWith('input.items') ? 'unitPriceNet' : path, message);
  };
  const problems = new Problems();
  if (dueDate instanceof Date && dueDate < invoiceDate) problems.add('dueDate', 'Must not be before the invoice date.');
  totalRules(items, currency, problems);
  if (items.length > maxItems) problems.add('externalId', `An invoice has at most ${maxItems} lines.`);
  if (problems.any) {
    for (const [path, messages] of Object.entries(problems.errors))
      for (const message of messages) addLineError(path, message);
    return undefined;
  }
  const draft = newDraft(context, {
    customerId,
    invoiceDate,
    dueDate: dueDate instanceof Date ? dueDate : null,
    subject: typeof subject === 'string' ? subject : null,
    currency,
    items,
  });
  const gross = new Decimal(draft.totalGross);
  if (totalGross instanceof Decimal && !totalGross.equals(gross)) {
    errors.add(row, 'totalGross', `Is ${totalGross.toFixed()}, but the lines make ${gross.toFixed()}.`);
    return undefined;
  }
  const isPaid = paidOn instanceof Date || gross.isZero();
  const invoice: Row<'Invoice'> = {
    ...draft,
    externalId,
    number,
    issuedAt: invoiceDate,
    ...(isPaid
      ? { status: 'PAID', amountPaid: draft.totalGross, paidAt: paidOn instanceof Date ? paidOn : invoiceDate }
      : // It was overdue before it came: nobody is told so again.
        { status: 'ISSUED', ...(draft.dueDate < today(context) && { overdueAt: context.now() }) }),
  };
  const payments =
    paidOn instanceof Date && !gross.isZero()
      ? [context.db.row('Payment', { invoiceId: invoice.id, amount: draft.totalGross, currency, paidOn })]
      : [];
  return { Invoice: [invoice], InvoiceItem: draft.items, Payment: payments };
}

function itemOf({ values }: First): (Line & { title: string; unit: string | null }) | undefined {
  const { title, subject, number, quantity = new Decimal(1), unit, unitPriceNet, vatRate } = values;
  if (!(quantity instanceof Decimal) || !(unitPriceNet instanceof Decimal) || !(vatRate instanceof Decimal))
    return undefined;
  return {
    title: String(title ?? subject ?? number),
    quantity,
    unit: typeof unit === 'string' ? unit : null,
    unitPriceNet,
    vatRate,
  };
}

async function write({ db }: Context, { model }: Kind, { rows }: Made): Promise<void> {
  for (let start = 0; start < rows.length; start += batchRecords) {
    const batch = rows.slice(start, start + batchRecords);
    const of = <Name extends keyof Rows>(name: Name): NonNullable<Rows[Name]> =>
      batch.flatMap((each) => (each[name] ?? []) as never[]) as NonNullable<Rows[Name]>;
    await db.insert({ [model]: of(model), InvoiceItem: of('InvoiceItem'), Payment: of('Payment') });
  }
}
