import type { Prisma } from '../generated/client/client.ts';
import type { Rows } from '../insert.ts';
import { getTable } from '../tables.ts';

type Model = Prisma.ModelName;

/** The rows of several units of work could not be written together. */
export class DeferredInsertError extends Error {}

/** So many rows are written while the next units are worked on: PostgreSQL takes longer for a row than they do. */
const rowsAtOnce = 50;

/**
 * Inserts of a transaction that are written together: before a statement that may see them, when they are many, and at the end.
 * Each belongs to a unit of work, which can be dropped while nothing of it is written.
 */
export class DeferredInserts {
  readonly #insert: (rows: Rows) => Promise<void>;
  /** Models whose rows may be written after what happens later. */
  readonly #unordered: ReadonlySet<Model>;
  #rows: [Model, object][] = [];
  /** Where the rows of the current unit begin. */
  #unit = 0;
  #isWritten = false;
  /** The inserts that are under way, in their order. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(insert: (rows: Rows) => Promise<void>, unordered: readonly Model[]) {
    this.#insert = insert;
    this.#unordered = new Set(unordered);
  }

  add(rows: Rows): void {
    for (const [model, added] of Object.entries(rows) as [Model, object[]][])
      for (const row of added) this.#rows.push([model, row]);
  }

  /** Begins the next unit. Doesn't wait for rows of those before: flush() does. */
  beginUnit(): void {
    if (this.#rows.length >= rowsAtOnce) {
      const { ordered = [], unordered = [] } = Object.groupBy(this.#rows, ([model]) =>
        this.#unordered.has(model) ? 'unordered' : 'ordered',
      );
      if (ordered.length >= rowsAtOnce) {
        this.#write(ordered);
        this.#rows = unordered;
      }
    }
    this.#unit = this.#rows.length;
    this.#isWritten = false;
  }

  /** Forgets the rows of the current unit. @returns false if something of it is written already */
  dropUnit(): boolean {
    if (this.#isWritten) return false;
    this.#rows.length = this.#unit;
    return true;
  }

  /** Before a query of a model. Other tables than those that it names are not in its result. */
  async beforeReading(model: Model, query: object): Promise<void> {
    if (this.#rows.length > 0 && this.#concerns(model, query)) await this.flush();
  }

  /** Before any other write: the change feed has changes in the order in which they were written. */
  async beforeWriting(): Promise<void> {
    if (this.#rows.some(([model]) => !this.#unordered.has(model))) await this.flush();
    this.#isWritten = true;
  }

  /** @throws DeferredInsertError */
  async flush(): Promise<void> {
    const rows = this.#rows;
    this.#isWritten ||= rows.length > this.#unit;
    this.#rows = [];
    this.#unit = 0;
    if (rows.length > 0) this.#write(rows);
    await this.#writing;
  }

  /** The statements wait for each other: all are on one connection. */
  #write(rows: [Model, object][]): void {
    const byModel: Partial<Record<Model, object[]>> = {};
    for (const [model, row] of rows) (byModel[model] ??= []).push(row);
    const written = this.#insert(byModel as Rows).catch((cause: unknown) => {
      throw new DeferredInsertError('Rows could not be written together', { cause });
    });
    this.#writing = Promise.all([this.#writing, written]);
    this.#writing.catch(() => {}); // flush() throws it
  }

  /** Whether a query may see rows that wait. It names relations by their fields, in whatever part. */
  #concerns(model: Model, query: object): boolean {
    if (this.#rows.some(([waiting]) => waiting === model)) return true;
    const { fields } = getTable(model);
    return Object.entries(query).some(([name, part]: [string, unknown]) => {
      const field = fields.get(name);
      const other = field?.kind === 'relation' ? field.model : model;
      if (other !== model && this.#rows.some(([waiting]) => waiting === other)) return true;
      return [part].flat().some((each) => isObject(each) && this.#concerns(other, each));
    });
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Date) && !('toFixed' in value);
