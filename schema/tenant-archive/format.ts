import { tableOf, type Column, type Prisma } from '../../prisma/client.ts';
import { storable } from '../graphql/input/validators.ts';
import { Decimal } from '../money/money.ts';
import { maxItems } from '../resources/invoice/mutations.ts';
import { maxLines } from '../resources/receipt/lines.ts';
import { formatDay, isUuid, parseDay } from '../graphql/scalars/scalars.ts';

// The file that holds all books of a tenant, as JSON Lines: OPERATING.md#the-export-file describes it.

/** The name and the version of the format, which a file's first line has. */
export const format = { name: 'kontor-books', version: 1 } as const;

/** The field that has a record's type. (A customer has a field `type`.) */
export const typeField = 'record';

/** The type of the last line. A file without it isn't whole. */
export const endType = 'end';

/**
 * The types of records in the order of a file, so that a record refers to earlier ones only. `input` is the GraphQL input
 * whose validators hold for the record's fields as well.
 */
export const recordTypes = [
  { type: 'audit_entry', model: 'AuditEntry', input: null },
  { type: 'customer', model: 'Customer', input: 'CreateCustomerInput' },
  { type: 'company_logo', model: 'CompanyLogo', input: null },
  { type: 'company', model: 'Company', input: 'UpdateCompanyInput' },
  { type: 'project', model: 'Project', input: 'CreateProjectInput' },
  { type: 'invoice', model: 'Invoice', input: 'CreateInvoiceInput' },
  { type: 'invoice_sequence', model: 'InvoiceSequence', input: null },
  { type: 'credit_note', model: 'CreditNote', input: 'CreateCreditNoteInput' },
  { type: 'credit_note_sequence', model: 'CreditNoteSequence', input: null },
  { type: 'receipt', model: 'Receipt', input: 'CreateReceiptInput' },
  { type: 'attachment', model: 'Attachment', input: null },
  { type: 'time_entry', model: 'TimeEntry', input: 'CreateTimeEntryInput' },
  { type: 'bank_account', model: 'BankAccount', input: 'CreateBankAccountInput' },
  { type: 'bank_statement', model: 'BankStatement', input: null },
  { type: 'bank_transaction', model: 'BankTransaction', input: null },
  { type: 'payment', model: 'Payment', input: 'MatchInput' },
  { type: 'invoice_parties', model: 'InvoiceParties', input: null },
  { type: 'invoice_file', model: 'InvoiceFile', input: null },
  { type: 'document_proof', model: 'DocumentProof', input: null },
  { type: 'period_lock', model: 'PeriodLock', input: null },
  { type: 'partner_account', model: 'PartnerAccount', input: null },
] as const satisfies { type: string; model: Prisma.ModelName; input: string | null }[];

export type RecordType = (typeof recordTypes)[number];

/**
 * The models whose records have their lines: in which field, the lines' model, its input, the column that refers to the record,
 * and how many there are. A receipt whose own columns say all of its one line has no field.
 */
export const itemModels = {
  Invoice: {
    field: 'items',
    model: 'InvoiceItem',
    input: 'InvoiceItemInput',
    refersBy: 'invoice_id',
    min: 1,
    max: maxItems,
  },
  CreditNote: {
    field: 'items',
    model: 'CreditNoteItem',
    input: null,
    refersBy: 'credit_note_id',
    min: 1,
    max: maxItems,
  },
  Receipt: {
    field: 'lines',
    model: 'ReceiptLine',
    input: 'ReceiptLineInput',
    refersBy: 'receipt_id',
    min: 0,
    max: maxLines,
  },
} as const satisfies Partial<Record<RecordType['model'], ItemsOf>>;

interface ItemsOf {
  field: 'items' | 'lines';
  model: ItemModel;
  input: string | null;
  refersBy: string;
  min: number;
  max: number;
}

export type ItemModel = 'InvoiceItem' | 'CreditNoteItem' | 'ReceiptLine';

/** Whether the records of a model have items. */
export const hasItems = (model: Prisma.ModelName): model is keyof typeof itemModels => model in itemModels;

/**
 * The models whose rows no export has, and why. A new model must either be here or have a record type: the compiler
 * refuses anything else.
 */
export const leftOut = {
  Tenant: 'The first line has its settings.',
  User: 'The first line has the members. Accounts belong to persons, not to the tenant.',
  Membership: 'The first line has the members.',
  ApiToken: 'Access: it is given anew where the books go.',
  Session: 'Access.',
  Invitation: 'Access.',
  RateLimit: 'Access.',
  RateLimitPage: 'Access.',
  TenantDeletion: 'It belongs to the installation.',
  SecretCheck: 'It belongs to the installation.',
  Change: 'The change feed. Triggers make its entries again; its cursors are of one tenant.',
  Event: 'Messages about changes. They name the tenant, are signed byte by byte, and are deleted after 90 days.',
  Webhook: 'It has secrets, and both tenants would send to it. It is registered anew.',
  Delivery: 'A log, deleted after 90 days.',
  DeliveryAttempt: 'A log, deleted after 90 days.',
  AuditSeal: 'Each audit entry has its own. An import seals the entries anew.',
  Anchor: 'It names the tenant, and belongs to the installation that signed it.',
  UnprovenDocument: 'A queue. Triggers make it again.',
  UnprovenReceipt: 'A queue. Triggers make it again.',
  UnusedFile: 'A queue.',
  BulkOperation: 'A log of requests, deleted after 30 days. What they wrote is in the books.',
  BulkChunk: 'Requests and their results, deleted after 30 days.',
  Export: 'A log of requests, deleted soon after their files. What they were of is in the books.',
  StoredResponse: 'Responses to repeated requests, deleted after a day.',
  RowCount: 'Row counts. Triggers make them again.',
  TrustedDocument: "Front ends' builds register them.",
  Worker: 'A process.',
  Backfill: 'It belongs to the installation.',
  OutboxEntry: 'A queue.',
  Watcher: 'A process.',
} as const satisfies Record<Exclude<Prisma.ModelName, RecordType['model'] | ItemModel>, string>;

/** The columns of a model that a record has: all but the tenant, what PostgreSQL generates, and what other records say. */
export const recordColumns = (model: Prisma.ModelName): Column[] =>
  [...tableOf(model).fields.values()]
    .filter((field) => field.kind === 'column')
    .filter(({ name, isGenerated }) => name !== 'tenantId' && name !== 'isOnDocuments' && !isGenerated);

/** A value as a record has it: exact decimals are strings. */
export function writeValue({ native, enumeration }: Column, value: unknown): unknown {
  if (enumeration) return enumeration.values.get(String(value));
  if (value instanceof Date) return native === 'Date' ? formatDay(value) : value.toISOString();
  if (isDecimal(value)) return value.toFixed();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return value;
}

/** Prisma's decimals, and those that the query compiler reads. */
const isDecimal = (value: unknown): value is Pick<Decimal, 'toFixed'> =>
  typeof value === 'object' && value !== null && 'toFixed' in value;

/** Why a value can't be read, as a sentence. */
export class ValueError extends Error {
  override name = 'ValueError';
}

const decimalText = /^-?\d{1,30}(?:\.\d{1,30})?$/;
const timeText = /^(?!0000)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?(?:Z|[+-]\d{2}:\d{2})$/;
const maxInt = 2 ** 31 - 1;

/**
 * The value of a column, as the domain has it, from a record's value other than null.
 * @throws ValueError
 */
export function readValue(column: Column, value: unknown): unknown {
  const { type, native, enumeration, digits } = column;
  if (enumeration) {
    const known = [...enumeration.values].find(([, stored]) => stored === value);
    if (!known) throw new ValueError(`Must be one of ${[...enumeration.values.values()].join(', ')}.`);
    return known[0];
  }
  switch (type) {
    case 'String':
      if (native === 'Uuid') {
        if (!isUuid(value)) throw new ValueError('Must be a UUID.');
        return value.toLowerCase();
      }
      if (typeof value !== 'string') throw new ValueError('Must be a string.');
      if (!storable(value)) throw new ValueError('Must not contain NUL characters or lone surrogates.');
      return value;
    case 'Boolean':
      if (typeof value !== 'boolean') throw new ValueError('Must be true or false.');
      return value;
    case 'Int':
      if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > maxInt)
        throw new ValueError('Must be a whole number.');
      return value;
    case 'Json':
      if (!isObject(value) && !Array.isArray(value)) throw new ValueError('Must be an object or a list.');
      return value;
    case 'Bytes':
      return readBase64(value);
    case 'Decimal':
      return readDecimal(value, digits ?? { all: 0, decimals: 0 });
    case 'DateTime':
      return native === 'Date' ? readDay(value) : readTime(value);
    default:
      throw new Error(`No record can have the ${type} ${column.name}`);
  }
}

/** Not by a regular expression: its stack is too small for the text of a long file. */
function readBase64(value: unknown): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'base64') : undefined;
  if (bytes === undefined || bytes.toString('base64') !== value) throw new ValueError('Must be Base64.');
  return bytes;
}

function readDecimal(value: unknown, { all, decimals }: { all: number; decimals: number }): Decimal {
  if (typeof value !== 'string' || !decimalText.test(value))
    throw new ValueError('Must be a number as a string: "1190.5".');
  const decimal = new Decimal(value);
  if (decimal.decimalPlaces() > decimals) throw new ValueError(`Must not have more than ${decimals} decimals.`);
  if (decimal.abs().greaterThanOrEqualTo(new Decimal(10).pow(all - decimals)))
    throw new ValueError(`Must not have more than ${all} digits.`);
  return decimal.isZero() ? new Decimal(0) : decimal; // no -0
}

function readDay(value: unknown): Date {
  const day = parseDay(value);
  if (!day) throw new ValueError('Must be a calendar day, YYYY-MM-DD.');
  return day;
}

function readTime(value: unknown): Date {
  const time = typeof value === 'string' && timeText.test(value) ? new Date(value) : undefined;
  if (!time || Number.isNaN(time.getTime())) throw new ValueError('Must be a time, ISO 8601 with offset.');
  return time;
}

/** `input.dueDate` as a record has it: `due_date`. */
export const asColumn = (path: string): string =>
  path.replace(/^input\./, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Whether a value is what JSON calls an object. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
