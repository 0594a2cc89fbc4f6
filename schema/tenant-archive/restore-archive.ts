import type { GraphQLSchema } from 'graphql';
import { z } from 'zod';
import { Prisma, violatedCheck, violatedConstraint, type Rows } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';
import { refuse, type FieldErrors } from '../errors/errors.ts';
import type { Report } from '../resources/difference.ts';
import { mustBeKept, sayEntry } from '../resources/audit-log/verify.ts';
import { noHeads, type NotedHeads } from '../resources/anchor/noted-heads.ts';
import { verifyDocuments } from '../resources/document/verify.ts';
import { constraintError } from '../graphql/input/constraints.ts';
import { AttachmentParts, partType, storeParts } from './attachment-parts.ts';
import { findViolations, type Violation } from './consistency.ts';
import { noRecords, sumCounts, type RecordCounts } from './export-archive.ts';
import { asColumn, endType, format, isObject, recordTypes, typeField, type RecordType } from './format.ts';
import { LineErrors, maxLineErrors, readLines, type Line, type LineError } from './lines.ts';
import { createRecordReader, isRefused, type RecordReader, type UserIds } from './record.ts';

/** All books are written in one transaction, however long that takes. */
const importLimits = { timeout: 24 * 60 * 60 * 1000 };

/** The rows, and the characters of their lines, after which a batch is written. */
const batchRows = 500;
const batchLength = 256 * 1024;

export interface BooksImport {
  records: RecordCounts;
  /** Differences from the tenant that the books come from. */
  notes: string[];
}

export interface BooksImportOptions {
  /** Does everything and takes it back. */
  dryRun: boolean;
  /** Whether issued documents may be without a proof. */
  acceptUnproven?: boolean | undefined;
  /** Heads of the chains that were noted before: the file must have the same. */
  expected?: NotedHeads;
  /** Gets the bytes of the file that are dealt with, of two passes. */
  report?: (bytes: number) => void;
}

const headSchema = z.strictObject({
  format: z.literal(format.name),
  version: z.literal(format.version),
  tenant: z.strictObject({
    id: z.uuid(),
    name: z.string(),
    country: z.string(),
    default_currency: z.string(),
    timezone: z.string(),
  }),
  members: z.array(z.strictObject({ id: z.uuid(), name: z.string(), email: z.string() })),
});

type Head = z.infer<typeof headSchema>;

const endSchema = z.strictObject({ records: z.int().min(0) });

/**
 * Reads the file of an export into a tenant that has no books yet: all of it or nothing. Nothing is reported as an event,
 * because nothing happened to the business: its books have only moved.
 * @param file the path of a complete file
 * @param schema the domain's, whose inputs have the bounds of the fields
 * @throws LineErrors where the file, or the books in it, break a rule
 * @throws ValidationError where the tenant has books already
 */
export async function importBooks(
  context: Context,
  schema: GraphQLSchema,
  file: string,
  options: BooksImportOptions,
): Promise<BooksImport> {
  const { dryRun, report = () => {} } = options;
  await refuseUnlessEmpty(context);
  let size = 0;
  // Before the transaction, so that all errors are found, and found without waiting for the database.
  const head = await checkLines(context, schema, file, (bytes) => report((size = bytes)));
  const { userIds, notes } = await compare(context, head);
  const read = createRecordReader(context, schema, userIds);
  const done = Symbol('taken back');
  let records = noRecords();
  try {
    await context.transaction(
      async (inside) => {
        records = await write(inside, file, read, { ...options, report: (bytes) => report(size + bytes) });
        if (dryRun) throw done;
      },
      { ...importLimits, savepoints: true },
    );
  } catch (error) {
    if (error !== done) throw error;
  }
  return { records, notes };
}

async function refuseUnlessEmpty(context: Context): Promise<void> {
  const counts = await countRows(context);
  if (sumCounts(counts) > 0)
    refuse('tenant', 'wrong_state', 'The tenant has books already: books are imported into an empty tenant only.');
}

async function countRows({ db }: Context): Promise<RecordCounts> {
  const counts = noRecords();
  // Not the audit log, which has how the tenant was made, and this import.
  for (const { type, model } of recordTypes) if (model !== 'AuditEntry') counts[type] = await db.model(model).count();
  return counts;
}

/** Checks every line by itself. @throws LineErrors */
async function checkLines(
  context: Context,
  schema: GraphQLSchema,
  file: string,
  report: (bytes: number) => void,
): Promise<Head> {
  const read = createRecordReader(context, schema, new Map());
  const errors: LineError[] = [];
  let [head, records, last]: [Head | undefined, number, Line | undefined] = [undefined, 0, undefined];
  let isEnded = false;
  const parts = new AttachmentParts();
  for await (const line of readLines(file, report)) {
    last = line;
    if (!head) {
      head = readHead(line);
      continue;
    }
    if (errors.length >= maxLineErrors) break;
    if (isEnded)
      throw new LineErrors([{ line: line.number, message: 'Must not be there: the line before is the end.' }]);
    const record = parse(line);
    if ('message' in record) {
      errors.push(record);
      continue;
    }
    const problem = record.type === partType ? await parts.add(line.number, record.fields) : await parts.end();
    if (problem) errors.push(problem);
    if (record.type === partType) continue;
    if (record.type === endType) {
      isEnded = true;
      const end = endSchema.safeParse(record.fields);
      if (!end.success || end.data.records !== records)
        errors.push({ line: line.number, message: `Must say how many records there are: ${records}.` });
    } else {
      records += 1;
      const rows = read(record.type, record.fields);
      if (isRefused(rows)) errors.push(...lineErrors(line.number, rows));
      else if (rows.Attachment?.[0]) await parts.begin(line.number, rows.Attachment[0]);
    }
  }
  const after = (last?.number ?? 0) + 1;
  if (!head) throw new LineErrors([{ line: 1, message: 'The file is empty.' }]);
  if (!isEnded && errors.length === 0)
    errors.push({ line: after, message: `The file isn't whole: it has no "${endType}".` });
  if (errors.length > 0) throw new LineErrors(errors.slice(0, maxLineErrors));
  return head;
}

function readHead({ number, text }: Line): Head {
  const { data, error } = headSchema.safeParse(asJson(text));
  if (data) return data;
  const [issue] = error.issues;
  const at = issue?.path.join('.');
  throw new LineErrors([
    { line: number, message: `Is not the first line of an export${at ? `, at ${at}` : ''}: ${issue?.message ?? ''}` },
  ]);
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface RawRecord<Type = RecordType> {
  type: Type;
  fields: Record<string, unknown>;
}

const recordTypesByName = new Map<unknown, RecordType>(recordTypes.map((recordType) => [recordType.type, recordType]));

function parse({
  number: line,
  text,
}: Line): RawRecord | RawRecord<typeof endType> | RawRecord<typeof partType> | LineError {
  const value = asJson(text);
  if (!isObject(value)) return { line, message: 'Must be a JSON object.' };
  const { [typeField]: type, ...fields } = value;
  if (type === endType || type === partType) return { type, fields };
  const known = recordTypesByName.get(type);
  if (known) return { type: known, fields };
  return {
    line,
    message: `${typeField}: Must be one of ${[...recordTypesByName.keys(), partType, endType].join(', ')}.`,
  };
}

const lineErrors = (line: number, errors: FieldErrors): LineError[] =>
  Object.entries(errors).flatMap(([path, messages]) =>
    messages.map((message) => ({ line, message: `${path}: ${message}` })),
  );

/** Compares two tenants: their differences, and the ids here of members of both. */
async function compare(context: Context, head: Head): Promise<{ userIds: UserIds; notes: string[] }> {
  const { tenant, identity } = context;
  const notes = (
    [
      ['country', head.tenant.country, tenant.country],
      ['default currency', head.tenant.default_currency, tenant.defaultCurrency],
      ['time zone', head.tenant.timezone, tenant.timezone],
    ] as const
  )
    .filter(([, there, here]) => there !== here)
    .map(([what, there, here]) => `The ${what} of the books' tenant is ${there}; this tenant's is ${here}, and stays.`);
  const members = (await identity.members(context)).map(({ user }) => user);
  const userIds = new Map<string, string>();
  for (const { id, email } of head.members) {
    if (members.some((member) => member.id === id)) continue;
    const here = members.find((member) => member.email.toLowerCase() === email.toLowerCase());
    if (here) userIds.set(id, here.id);
    else notes.push(`${email} is no member here. Their time entries keep the id ${id}.`);
  }
  return { userIds, notes };
}

interface Batch {
  type: RecordType;
  entries: { line: number; rows: Rows }[];
  length: number;
}

async function write(
  context: Context,
  file: string,
  read: RecordReader,
  { report, acceptUnproven = false, expected = noHeads }: Omit<BooksImportOptions, 'dryRun'>,
): Promise<RecordCounts> {
  if (!(await context.db.tryAdvisoryLock('books import')))
    refuse('tenant', 'busy', 'Another import into this tenant is under way.');
  await refuseUnlessEmpty(context);
  await context.db.beginBulkInsert();
  await context.db.actAsImport();
  const counts = noRecords();
  const seals = new Set<unknown>();
  const parts = new AttachmentParts(storeParts(context));
  let batch: Batch | undefined;
  for await (const line of readLines(file, report)) {
    const record = parse(line);
    if ('message' in record) continue; // the first line
    const problem = record.type === partType ? await parts.add(line.number, record.fields) : await parts.end();
    if (problem) throw new LineErrors([problem]); // the file changed meanwhile
    if (record.type === partType || record.type === endType) continue;
    const { type, fields } = record;
    if (type.model === 'AuditEntry') seals.add(fields['hash']).add(fields['previous_hash']);
    if (batch && (batch.type !== type || batch.entries.length === batchRows || batch.length > batchLength)) {
      await insert(context, batch);
      batch = undefined;
    }
    const rows = read(type, fields);
    if (isRefused(rows)) throw new LineErrors(lineErrors(line.number, rows)); // the file changed meanwhile
    if (rows.Attachment?.[0]) await parts.begin(line.number, rows.Attachment[0]);
    batch ??= { type, entries: [], length: 0 };
    batch.entries.push({ line: line.number, rows });
    batch.length += line.text.length;
    counts[type.type] += 1;
  }
  if (batch) await insert(context, batch);
  const violations = await findViolations(context.db);
  if (violations.length === 0) {
    const add: Report = ({ type, id, message }) =>
      violations.length < maxLineErrors && violations.push({ type, key: id, message: `${message}.` });
    await verifyDocuments(context, { report: add, expected: expected.documents, needAll: !acceptUnproven });
    for (const head of expected.auditLog)
      if (!seals.has(head.hash) && mustBeKept(head, context))
        add({ type: 'audit_entry', id: null, message: `${sayEntry(head)} is missing, of which a hash was noted` });
  }
  if (violations.length > 0) throw new LineErrors(await findLines(file, violations));
  if (sumCounts(await countRows(context)) !== sumCounts({ ...counts, audit_entry: 0 }))
    refuse('tenant', 'wrong_state', 'Somebody else wrote into this tenant meanwhile. Try again with an empty tenant.');
  return counts;
}

/** Writes a batch; where the database refuses it, finds the line. */
async function insert(context: Context, { type, entries }: Batch): Promise<void> {
  const logged = entries.flatMap(({ rows }) => rows.AuditEntry ?? []);
  // Each entry has a position of its own, so that they stay in the order of the file.
  const positions = logged.length > 0 ? await context.db.nextChangePositions(logged.length) : [];
  for (const [at, entry] of logged.entries()) entry.position = positions[at] ?? entry.position;
  try {
    await context.insert(merged(entries.map(({ rows }) => rows)));
  } catch (error) {
    if (explainRefusal(type, error) === undefined) throw error;
    for (const { line, rows } of entries) await insertOne(context, type, line, rows);
    throw error;
  }
}

async function insertOne(context: Context, type: RecordType, line: number, rows: Rows): Promise<void> {
  try {
    await context.insert(rows);
  } catch (error) {
    const message = explainRefusal(type, error);
    throw message === undefined ? error : new LineErrors([{ line, message }]);
  }
}

function merged(all: Rows[]): Rows {
  const result: Rows = {};
  for (const rows of all) for (const [model, added] of Object.entries(rows)) append(result, model, added);
  // The first line's trigger logs all lines of a document, which several statements may write.
  for (const model of ['InvoiceItem', 'CreditNoteItem', 'ReceiptLine'] as const)
    result[model]?.sort((a: { position: number }, b: { position: number }) => b.position - a.position);
  return result;
}

function append(rows: Rows, model: string, added: unknown[]): void {
  const lists: Record<string, unknown[] | undefined> = rows;
  (lists[model] ??= []).push(...added);
}

/** Why the database refuses a row, as a sentence; undefined for any other error. */
function explainRefusal({ model }: RecordType, error: unknown): string | undefined {
  const check = violatedCheck(error);
  if (check) {
    const [known] = Object.entries(constraintError(check)?.errors ?? {});
    return known && `${asColumn(known[0])}: ${known[1].join(' ')}`;
  }
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return undefined;
  const constraint = violatedConstraint(error) ?? '';
  if (error.code === 'P2002') {
    const field = constraint.endsWith('_external_id_key') ? 'external_id' : (uniqueFields[constraint] ?? 'id');
    return `${field}: An earlier line has the same.`;
  }
  if (error.code !== 'P2003') return undefined;
  const column = /_tenant_id_(\w+)_fkey$/.exec(constraint)?.[1] ?? model;
  return `${column}: No earlier line has this id.`;
}

/** The field that a unique index concerns, if it isn't a record's own id. */
const uniqueFields: Record<string, string> = {
  invoices_tenant_id_number_key: 'number',
  invoice_items_pkey: 'items',
  invoice_sequences_pkey: 'year',
  credit_notes_tenant_id_number_key: 'number',
  credit_note_items_pkey: 'items',
  receipt_lines_pkey: 'lines',
  credit_note_sequences_pkey: 'year',
  bank_transactions_tenant_id_identity_key: 'identity',
  bank_accounts_tenant_id_iban_currency_key: 'iban',
  bank_statements_identity_key: 'to_date',
  document_proofs_tenant_id_position_key: 'position',
  attachments_tenant_id_receipt_id_position_key: 'position',
  period_locks_tenant_id_series_key: 'series',
};

/** The lines of records that were read before: no memory of them is kept. */
async function findLines(file: string, violations: Violation[]): Promise<LineError[]> {
  const errors: LineError[] = [];
  for await (const line of readLines(file)) {
    const record = parse(line);
    if ('message' in record || record.type === partType) continue;
    if (record.type === endType) {
      // A missing record has no line: its error names the last line.
      for (const { key, message } of violations) if (key === null) errors.push({ line: line.number, message });
      continue;
    }
    const { type, fields } = record;
    const key = String(fields['id'] ?? fields['year']).toLowerCase(); // a sequence has a year, and no id
    for (const violation of violations)
      if (violation.type === type.type && violation.key === key)
        errors.push({ line: line.number, message: violation.message });
  }
  return errors.slice(0, maxLineErrors);
}
