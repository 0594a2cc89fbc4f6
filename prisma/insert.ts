import { randomUUIDv7 } from 'node:crypto';
import { currentTime } from './clock.ts';
import { Prisma } from './generated/client/client.ts';
import { tables, type Column } from './tables.ts';

// Rows of several tables, built in memory and written by one statement. Prisma's create() calls in a transaction would take
// much more CPU time.

type Model = Prisma.ModelName;
/** A row in full, as Prisma reads it. */
export type Row<Of extends Model> = Prisma.TypeMap['model'][Of]['payload']['scalars'];
/** Models whose rows have such columns. */
export type ModelWith<Columns extends object> = { [Of in Model]: Row<Of> extends Columns ? Of : never }[Model];
/** A row's input; fields left out, or null, get their defaults. */
export type NewRow<Of extends Model> = OrNullJson<
  Exclude<Prisma.TypeMap['model'][Of]['operations']['createMany']['args']['data'], readonly unknown[]>
>;
/** Prisma's types have no null for a column of JSON. */
type OrNullJson<Data> = {
  [Name in keyof Data]: Prisma.JsonNullValueInput extends Data[Name] ? Data[Name] | null : Data[Name];
};
/** Rows by model. */
export type Rows = { [Of in Model]?: Row<Of>[] };

/** All columns that are written, except tenant_id. */
const columns = Object.fromEntries(
  [...tables].map(([model, { fields }]) => [
    model,
    [...fields.values()]
      .filter((field) => field.kind === 'column')
      .filter(({ name, isGenerated }) => name !== 'tenantId' && !isGenerated),
  ]),
) as Record<Model, Column[]>;

/** A row with the defaults that Prisma would have given it, without what PostgreSQL generates, not written yet. */
export function newRow<Of extends Model>(tenantId: string, model: Of, data: NewRow<Of>): Row<Of> {
  const now = currentTime();
  const row: Record<string, unknown> = { tenantId };
  for (const column of columns[model]) {
    const value = (data as Record<string, unknown>)[column.name] ?? computeInitial(column, now);
    row[column.name] = column.type === 'Decimal' && value !== null ? new Prisma.Decimal(value as string) : value;
  }
  return row as Row<Of>;
}

let lastTime = '';
let idsOfTime = 0;

/**
 * A UUIDv7 of the current time. Those of a process are in the order in which they were made, also within a millisecond: RFC
 * 9562, 6.2, method 1.
 * Only where there are more than 4096 for one, their order is arbitrary.
 */
export function newId(): string {
  const id = randomUUIDv7();
  const ms = currentTime().getTime().toString(16).padStart(12, '0');
  const time = `${ms.slice(0, 8)}-${ms.slice(8)}`;
  idsOfTime = time > lastTime ? 0 : idsOfTime + 1;
  if (time > lastTime) lastTime = time;
  return idsOfTime < 4096
    ? `${lastTime}-7${idsOfTime.toString(16).padStart(3, '0')}${id.slice(18)}`
    : `${time}${id.slice(13)}`;
}

function computeInitial({ name, initial, isList }: Column, now: Date): unknown {
  if (initial === null) return isList ? [] : null;
  if (typeof initial !== 'object' || Array.isArray(initial)) return initial;
  if ('json' in initial) return initial.json;
  switch ((initial as { name: string }).name) {
    case 'uuid':
      return newId();
    case 'now':
      return now;
    default:
      throw new Error(`Only PostgreSQL knows the default of ${name}`);
  }
}

/** A statement, as pg takes it. */
export interface Insertion {
  text: string;
  values: [tenantId: string, ...unknown[]];
  /** The same statement, with one more value: who acts, for the audit log (sender.ts). Only of one that returns few rows. */
  actingText: string | undefined;
}

/**
 * The most parameters of a statement. PostgreSQL takes 65,535, but the plan of such a statement would take much memory, and
 * would seldom be used again.
 */
const maxParameters = 4000;

/**
 * The statements that write the rows, with the tenant's id in each: one, unless the rows have very many values. `rows` names a
 * model before those that refer to it. The rows stand in VALUES: Citus accepts no other source but tables.
 * @param unless rows of one model whose values of these columns another row of the tenant has are not written, and the ids of
 *   the others are answered. PostgreSQL looks the values up in the unique index itself: no statistics can mislead it.
 */
export function insertions(tenantId: string, rows: Rows, unless?: UniqueColumns): Insertion[] {
  const statements: Insertion[] = [];
  let parts: Part[] = [];
  let free = maxParameters - 1;
  for (const [model, all] of Object.entries(rows) as [Model, object[]][]) {
    const width = columns[model].length;
    for (let start = 0; start < all.length;) {
      if (free < width) {
        statements.push(buildInsertion(tenantId, parts, unless));
        parts = [];
        free = maxParameters - 1;
      }
      const part = all.slice(start, start + Math.floor(free / width));
      parts.push({ model, rows: part });
      start += part.length;
      free -= part.length * width;
    }
  }
  if (parts.length > 0) statements.push(buildInsertion(tenantId, parts, unless));
  return statements;
}

/** Columns whose values, together, are unique among the tenant's rows. */
export type UniqueColumns = readonly string[];

/** Rows of one model in a statement. */
interface Part {
  model: Model;
  rows: object[];
}

function buildInsertion(tenantId: string, parts: Part[], unless: UniqueColumns | undefined): Insertion {
  const values: Insertion['values'] = [tenantId];
  let key = unless?.join() ?? '';
  for (const { model, rows } of parts) {
    key += ` ${model} ${rows.length}`;
    const written = columns[model];
    for (const row of rows) {
      for (const column of written) values.push(stored(column, (row as Record<string, unknown>)[column.name]));
    }
  }
  let known = texts.get(key);
  if (known === undefined) {
    known = unless
      ? { text: `${buildText(parts)} on conflict (${listUnique(parts, unless)}) do nothing returning "id"` }
      : { text: buildText(parts) };
    if (!unless && parts.at(-1)?.rows.length === 1)
      known.actingText = `${known.text} returning set_config('kontor.actor', $${values.length + 1}, true)`;
    if (texts.size === maxTexts) texts.clear();
    texts.set(key, known);
  }
  return { text: known.text, actingText: known.actingText, values };
}

function listUnique(parts: Part[], names: UniqueColumns): string {
  const written = parts.flatMap(({ model }) => columns[model]).filter(({ name }) => names.includes(name));
  return ['tenant_id', ...written.map(({ column }) => column)].map((column) => `"${column}"`).join(', ');
}

/** Texts by models and numbers of rows. */
const texts = new Map<string, { text: string; actingText?: string }>();
const maxTexts = 250;

function buildText(parts: Part[]): string {
  let parameter = 1;
  const inserts = parts.map(({ model, rows }) => {
    const written = columns[model];
    const tuples = rows.map(() => `($1, ${written.map(() => `$${(parameter += 1)}`).join(', ')})`);
    const names = written.map(({ column }) => `"${column}"`);
    return `insert into "public"."${tables.get(model)?.table}" ("tenant_id", ${names.join(', ')}) values ${tuples.join(', ')}`;
  });
  const last = inserts.pop() ?? '';
  const others = inserts.map((insert, at) => `"${parts[at]?.model}" as (${insert})`);
  return others.length > 0 ? `with ${others.join(', ')} ${last}` : last;
}

/** A value as a parameter. pg would write times in the process's time zone. */
function stored({ type, enumeration }: Column, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (enumeration) return enumeration.values.get(value as string) ?? null;
  if (type === 'DateTime') return (value as Date).toJSON();
  if (type === 'Decimal') return String(value);
  if (type === 'Json') return JSON.stringify(value);
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
export const violatedCheck = (error: unknown): string | undefined =>
  (error as { code?: string }).code === 'P2039' ? violatedConstraint(error) : undefined;

/** Whether a write was refused because another row of the tenant has this column's value. */
export const isTaken = (error: unknown, column: string): boolean =>
  (error as { code?: string }).code === 'P2002' &&
  violatedConstraint(error)?.endsWith(`_tenant_id_${column}_key`) === true;

/** Where Prisma's own errors name the unique index that refused a write. Their message has its columns. */
interface PrismaMeta {
  driverAdapterError?: { cause?: { constraint?: { index?: string } } };
}

/** The name of the constraint that refused a write. On Citus, it ends with the number of a shard, which is left out. */
export function violatedConstraint(error: unknown): string | undefined {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return undefined;
  const { driverAdapterError } = (error.meta ?? {}) as PrismaMeta;
  const index = driverAdapterError?.cause?.constraint?.index;
  if (index !== undefined) return index.replace(/_\d{6,}$/, '');
  return /violates [a-z ]*constraint "(\w+?)(?:_\d{6,})?"/.exec(error.message)?.[1];
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
