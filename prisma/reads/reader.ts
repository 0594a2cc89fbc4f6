import type { QueryArrayConfig } from 'pg';
import type { Raw } from './decode.ts';
import type { Prisma } from '../generated/client/client.ts';
import type { PreparedNames } from '../prepared.ts';
import { shapeOf } from './shape.ts';
import { compile, type Statement } from './statement.ts';
import type { Total } from '../tallies.ts';
import { NotUnderstood } from './values.ts';

/**
 * How strong a row's lock is, in PostgreSQL's words (its manual, 13.3.2):
 *
 * - `update` is for a deletion, or a change of a value that the rows referring to this one rely on. It waits for
 *   transactions that have inserted such rows or hold `key share`, and makes new ones wait.
 * - `no key update` is for every other change. Rows that refer to this one can be inserted meanwhile.
 * - `key share` is for inserting a row that refers to this one and relies on a value that is only changed under `update`.
 */
export type RowLock = 'update' | 'no key update' | 'key share';

/** How many shapes are kept compiled: what clients ask for in GraphQL has no end. */
const most = 1000;

/** What answers a query: what to send, and what makes Prisma's rows out of those that come back. */
export interface Reading {
  statement: QueryArrayConfig;
  decode: (row: Raw) => object;
}

/**
 * Answers findMany() as Prisma would, at a fraction of its cost: a query's shape is compiled once, to one statement for
 * the rows with all that is related to them, and to what decodes its answer. Prisma interprets each query anew, and sends
 * a statement for each relation.
 *
 * In CPU time, node's and PostgreSQL's together, one invoice with its items took 117 µs instead of 761, a page of 25 of
 * them 0.70 ms instead of 1.93, and 5 customers with 5 of them each 1.0 ms instead of 4.1.
 */
export class Reader {
  readonly #names: PreparedNames;
  /** Null where it is left to Prisma. */
  readonly #statements = new Map<string, Statement | null>();

  constructor(names: PreparedNames) {
    this.#names = names;
  }

  /**
   * @param total to be told beside the rows, in the last column of each
   * @param lock the lock that PostgreSQL takes of each row; the query must not ask for related rows
   * @returns undefined where Prisma is to be asked
   */
  read(model: Prisma.ModelName, query: object, tenantId: string, total?: Total, lock?: RowLock): Reading | undefined {
    const values: unknown[] = [];
    const found = this.#statementOf(model, query, values);
    const parameters = found && understood(() => values.map((value, at) => found.encode[at]?.(value)));
    if (!found || !parameters) return undefined;
    const { decode, isPlannedOnce } = found;
    const text = (total ? found.textWithTotal : found.text) + (lock ? ` for ${lock}` : '');
    const name = isPlannedOnce ? this.#names.of(text) : '';
    const all = [tenantId, ...parameters, ...(total ?? [])];
    return { statement: { name, text, values: all, rowMode: 'array', types }, decode };
  }

  #statementOf(model: Prisma.ModelName, query: object, values: unknown[]): Statement | null {
    const shape = model + shapeOf(query, values);
    const known = this.#statements.get(shape);
    if (known !== undefined) return known;
    const statement = understood(() => compile(model, query));
    if (this.#statements.size === most) this.#statements.delete(this.#statements.keys().next().value ?? '');
    this.#statements.set(shape, statement);
    return statement;
  }
}

/** Values as PostgreSQL writes them: statements bring their own decoders. */
const types = { getTypeParser: () => (value: unknown) => value };

/** Null where something is left to Prisma. */
function understood<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof NotUnderstood) return null;
    throw error;
  }
}
