import type { Prisma } from '../generated/client/client.ts';
import type { Rows } from '../insert.ts';
import { getTable } from '../tables.ts';

type Model = Prisma.ModelName;

/** The rows of several units of work could not be written together. */
export class DeferredInsertError extends Error {}

/**
 * Inserts of a transaction that are written together: before a statement that may see them, and at the end. Each belongs to a
 * unit of work, which can be dropped while nothing of it is written.
 */
export class DeferredInserts {
  readonly #write: (rows: Rows) => Promise<void>;
  /** Models whose rows may be written after what happens later. */
  readonly #unordered: ReadonlySet<Model>;
  #rows: [Model, object][] = [];
  /** Where the rows of the current unit begin. */
  #unit = 0;
  #isWritten = false;

  constructor(write: (rows: Rows) => Promise<void>, unordered: readonly Model[]) {
    this.#write = write;
    this.#unordered = new Set(unordered);
  }

  add(rows: Rows): void {
    for (const [model, added] of Object.entries(rows) as [Model, object[]][])
      for (const row of added) this.#rows.push([model, row]);
  }

  beginUnit(): void {
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
    if (this.#rows.length === 0) return;
    const byModel: Partial<Record<Model, object[]>> = {};
    for (const [model, row] of this.#rows) (byModel[model] ??= []).push(row);
    this.#isWritten ||= this.#rows.length > this.#unit;
    this.#rows = [];
    this.#unit = 0;
    try {
      await this.#write(byModel as Rows);
    } catch (error) {
      throw new DeferredInsertError('Rows could not be written together', { cause: error });
    }
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
