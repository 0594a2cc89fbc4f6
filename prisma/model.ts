import type DataLoader from 'dataloader';
import type { Raw } from './reads/decode.ts';
import type { Prisma } from './generated/client/client.ts';
import type { Line } from './line.ts';
import { byId } from './lookups.ts';
import type { Reader, RowLock } from './reads/reader.ts';
import { scoped } from './scoped.ts';
import { shapeOf } from './reads/shape.ts';
import { totalAlone, totalOf, type Total } from './tallies.ts';

export type Row = Record<string, unknown>;
type Query = Record<string, unknown>;
type Operation = (query: object) => Promise<unknown>;

/** A table of one tenant's: a model of Prisma's, which is read past Prisma where the reader understands what is asked. */
export class Model {
  readonly #name: Prisma.ModelName;
  readonly #line: Line;
  readonly #reader: Reader;
  readonly #prisma: object;
  readonly #lookups = new Map<string, DataLoader<string, Row | null>>();
  #wanted: Wanted | undefined;

  /** @param prisma Prisma's own, in the same transaction */
  constructor(name: Prisma.ModelName, line: Line, reader: Reader, prisma: object) {
    this.#name = name;
    this.#line = line;
    this.#reader = reader;
    this.#prisma = prisma;
  }

  async findMany(query: Query = {}): Promise<Row[]> {
    return (await this.#read(query)) ?? ((await this.ask('findMany', query)) as Row[]);
  }

  async findFirst(query: Query = {}): Promise<Row | null> {
    const first = query['take'] === undefined ? await this.#read({ orderBy: [], ...query, take: 1 }) : undefined;
    return first ? (first[0] ?? null) : ((await this.ask('findFirst', query)) as Row | null);
  }

  async findFirstOrThrow(query: Query = {}): Promise<Row> {
    return (await this.findFirst(query)) ?? ((await this.ask('findFirstOrThrow', query)) as Row);
  }

  /**
   * Prisma makes one statement of all findUnique() of a tick, whoever's they are, and runs it in the surroundings of the
   * first: row-level security would hide the others' rows. So they don't go to Prisma; those of one table, asked by id in
   * the same tick for the same fields, become one statement here.
   */
  findUnique({ where, ...fields }: { where: Query } & Query): Promise<Row | null> {
    const { tenantId_id: key, ...others } = where as { tenantId_id?: { id?: string } };
    const id = key?.id;
    const { select, omit } = fields as { select?: Query; omit?: Query };
    if (id === undefined || Object.keys(others).length > 0 || omit || (select && !select['id'])) {
      return this.findFirst({ ...fields, where: flat(where) });
    }
    const values: unknown[] = [];
    const shape = shapeOf(fields, values) + (values.length > 0 ? JSON.stringify(values) : '');
    let lookup = this.#lookups.get(shape);
    if (!lookup) this.#lookups.set(shape, (lookup = byId(this, fields)));
    return lookup.load(id);
  }

  async findUniqueOrThrow(query: { where: Query } & Query): Promise<Row> {
    return (await this.findUnique(query)) ?? this.findFirstOrThrow({ ...query, where: flat(query.where) });
  }

  /**
   * Takes a row's lock and reads the row, in one statement. Waits for other transactions that hold a lock against it, and
   * then reads what they wrote. Other tables are not read: their rows would be as they were before the wait.
   * @returns null if there is no such row
   */
  async lock(id: string, lock: RowLock): Promise<Row | null> {
    if (!this.#line.isTransaction)
      throw new Error('A row is locked inside a transaction: outside, the lock ends at once');
    const reading = this.#reader.read(this.#name, { where: { id } }, this.#line.tenantId, undefined, lock);
    if (!reading) throw new Error(`${this.#name} can not be locked by its id`);
    const [row] = await this.#line.send<Raw>(reading.statement);
    return row ? (reading.decode(row) as Row) : null;
  }

  /**
   * Exact, like Prisma's own, in which a list's total costs as much as the list is long: see tallies.ts. Rows that are
   * asked for right after it, in the same tick, bring it along.
   */
  async count(query: Query = {}): Promise<unknown> {
    const total = this.#line.isOpen ? totalOf(this.#name, query) : undefined;
    if (!total) return this.ask('count', query);
    const wanted: Wanted = { total };
    this.#wanted = wanted;
    await Promise.resolve(); // meanwhile, rows may be asked for
    if (this.#wanted === wanted) this.#wanted = undefined;
    const [row] = (await wanted.rows) ?? [];
    if (row) return Number(row.at(-1));
    const [alone] = await this.#line.send<{ total: number }>(totalAlone(this.#line.tenantId, total));
    return alone?.total ?? 0;
  }

  /** One of Prisma's operations, on this tenant's rows. */
  async ask(operation: string, query: object = {}): Promise<unknown> {
    const run = (this.#prisma as Record<string, Operation>)[operation] as Operation;
    const ofTenant = scoped(operation, query, this.#line.tenantId);
    return this.#line.asTenant(async () => await run(ofTenant));
  }

  /** What comes after a transaction's end is Prisma's to refuse. */
  async #read(query: Query): Promise<Row[] | undefined> {
    const wanted = this.#wanted;
    const { tenantId, isOpen } = this.#line;
    const reading = isOpen ? this.#reader.read(this.#name, query, tenantId, wanted?.total) : undefined;
    if (!reading) return undefined;
    const rows = this.#line.send<Raw>(reading.statement);
    if (wanted) wanted.rows = rows;
    this.#wanted = undefined;
    return (await rows).map(reading.decode) as Row[];
  }
}

/** A total that rows can bring along. */
interface Wanted {
  total: Total;
  /** As PostgreSQL gives them, the total last; none if nobody asked for any. */
  rows?: Promise<Raw[]>;
}

const passedOn = [
  'create',
  'createMany',
  'createManyAndReturn',
  'update',
  'updateMany',
  'updateManyAndReturn',
  'upsert',
  'delete',
  'deleteMany',
  'aggregate',
  'groupBy',
];
const own = ['findMany', 'findFirst', 'findFirstOrThrow', 'findUnique', 'findUniqueOrThrow', 'count'];

/** All that Prisma can do with a model. */
export const operations: readonly string[] = [...own, ...passedOn];

for (const operation of passedOn) {
  Object.defineProperty(Model.prototype, operation, {
    value(this: Model, query?: object) {
      return this.ask(operation, query);
    },
  });
}

/** `{ tenantId_number: { tenantId, number } }` as `{ tenantId, number }`. */
const flat = (where: object): object =>
  Object.assign({}, ...Object.entries(where).map(([name, value]) => (name.includes('_') ? value : { [name]: value })));
