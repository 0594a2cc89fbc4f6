import { randomUUIDv7 } from 'node:crypto';
import { Prisma } from './generated/client/client.ts';
import { tables, type Column } from './tables.ts';

// Rows of several tables, built in memory and written by one statement. Prisma's create() calls in a transaction would take
// much more CPU time.

type Model = Prisma.ModelName;
/** A row in full, as Prisma reads it. */
export type Row<Of extends Model> = Prisma.TypeMap['model'][Of]['payload']['scalars'];
/** A row's input; fields left out get their defaults. */
export type NewRow<Of extends Model> = Exclude<
  Prisma.TypeMap['model'][Of]['operations']['createMany']['args']['data'],
  readonly unknown[]
>;
/** Rows by model. */
export type Rows = { [Of in Model]?: Row<Of>[] };

/** All columns that are written, except tenant_id. */
const columns = new Map(
  [...tables].map(([model, { fields }]) => [
    model,
    [...fields.values()]
      .filter((field) => field.kind === 'column')
      .filter(({ name, isGenerated }) => name !== 'tenantId' && !isGenerated),
  ]),
);
const columnsOf = (model: Model): Column[] => columns.get(model) ?? [];

/** A row with the defaults that Prisma would have given it, not written yet. */
export function newRow<Of extends Model>(tenantId: string, model: Of, data: NewRow<Of>): Row<Of> {
  const now = new Date();
  const row: Record<string, unknown> = { tenantId };
  for (const column of columnsOf(model)) {
    const value = (data as Record<string, unknown>)[column.name] ?? initialOf(column, now);
    row[column.name] = column.type === 'Decimal' && value !== null ? new Prisma.Decimal(value as string) : value;
  }
  return row as Row<Of>;
}

function initialOf({ name, initial, isList }: Column, now: Date): unknown {
  if (initial === null) return isList ? [] : null;
  if (typeof initial !== 'object') return initial;
  switch ((initial as { name: string }).name) {
    case 'uuid':
      return randomUUIDv7();
    case 'now':
      return now;
    default:
      throw new Error(`Only PostgreSQL knows the default of ${name}`);
  }
}

/** A statement, as pg takes it. */
export interface Insertion {
  name: string;
  text: string;
  values: [tenantId: string, ...string[]];
}

/**
 * One statement for all the rows, with the tenant's id in each. Its text depends only on the models, so that PostgreSQL
 * plans each set of models once: the rows of a table are one parameter, read as the table's own type.
 */
export function insertion(tenantId: string, rows: Rows): Insertion {
  const models = (Object.keys(rows) as Model[]).filter((model) => rows[model]?.length);
  const name = `insert ${models.join()}`;
  let text = texts.get(name);
  if (text === undefined) {
    text = textOf(models);
    texts.set(name, text);
  }
  return { name, text, values: [tenantId, ...models.map((model) => jsonOf(model, rows[model] ?? []))] };
}

const texts = new Map<string, string>();

function textOf(models: Model[]): string {
  const inserts = models.map((model, at) => {
    const table = `"public"."${tables.get(model)?.table}"`;
    const names = columnsOf(model).map(({ column }) => `"${column}"`);
    return `insert into ${table} (${['"tenant_id"', ...names].join(', ')}) select ${['$1::uuid', ...names].join(', ')} from json_populate_recordset(null::${table}, $${at + 2}::json)`;
  });
  const last = inserts.pop() ?? '';
  const others = inserts.map((insert, at) => `"${models[at]}" as (${insert})`);
  return others.length > 0 ? `with ${others.join(', ')} ${last}` : last;
}

const jsonOf = (model: Model, rows: object[]): string => JSON.stringify(rows.map((row) => cellsOf(model, row)));

/** A row's values that aren't null, by column name. */
function cellsOf(model: Model, row: object): Record<string, unknown> {
  const cells: Record<string, unknown> = {};
  for (const column of columnsOf(model)) {
    const value = (row as Record<string, unknown>)[column.name];
    if (value !== null) cells[column.column] = stored(column, value);
  }
  return cells;
}

/** A value as PostgreSQL reads it in JSON. Dates and decimals have a toJSON() of their own. */
function stored({ type, enumeration }: Column, value: unknown): unknown {
  if (enumeration) return enumeration.values.get(value as string) ?? null;
  if (type === 'Bytes') return `\\x${Buffer.from(value as Uint8Array).toString('hex')}`;
  if (type === 'BigInt') return String(value);
  return value;
}

/** The error that Prisma would have thrown for an error of PostgreSQL's. */
export function asPrismaError(error: unknown): unknown {
  const { message, code = '' } = error as { message: string; code?: string };
  const known = prismaCodes.get(code);
  if (known === undefined) return error;
  return new Prisma.PrismaClientKnownRequestError(message, { code: known, clientVersion: Prisma.prismaVersion.client });
}

/** The name of the CHECK constraint that refused a write; undefined where the error is another. */
export function violatedCheck(error: unknown): string | undefined {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError) || error.code !== 'P2039') return undefined;
  return /violates check constraint "(\w+)"/.exec(error.message)?.[1];
}

/**
 * Prisma's codes by those of PostgreSQL: unique_violation, foreign_key_violation, check_violation, serialization_failure,
 * deadlock_detected. Prisma has no code for a violated check: P2039 is any other error of the database.
 */
const prismaCodes = new Map([
  ['23505', 'P2002'],
  ['23503', 'P2003'],
  ['23514', 'P2039'],
  ['40001', 'P2034'],
  ['40P01', 'P2034'],
]);
