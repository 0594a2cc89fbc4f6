import type { QueryArrayConfig, QueryConfig } from 'pg';
import type { Raw } from './decode.ts';
import type { Prisma } from '../generated/client/client.ts';
import type { PreparedStatementNames } from '../connection/prepared-statement-names.ts';
import { buildShape } from './shape.ts';
import { compileGroups, type GroupsQuery } from './groups.ts';
import { compileCount, compileStatement, type RowsStatement, type Statement } from './statement.ts';
import { UnsupportedQuery } from './values.ts';

/**
 * How strong a row's lock is, in PostgreSQL's words (its manual, 13.3.2):
 *
 * - `update` is for a deletion, or a change of a value that the rows referring to this one rely on. It waits for
 *   transactions that have inserted such rows or hold `key share`, and makes new ones wait.
 * - `no key update` is for every other change. Rows that refer to this one can be inserted meanwhile.
 * - `key share` is for inserting a row that refers to this one and relies on a value that is only changed under `update`.
 */
export type RowLock = 'update' | 'no key update' | 'key share';

/** How many query shapes are kept compiled: GraphQL clients can ask for any number. */
const maxShapes = 1000;

/** A query ready to run: the statement to send, and the function that turns PostgreSQL's rows into Prisma's. */
export interface CompiledQuery {
  statement: QueryArrayConfig;
  decode: (row: Raw) => object;
}

/**
 * Compiles Prisma's findMany() and count() queries: same result, a fraction of the CPU time. A query's shape is compiled
 * once, to one SQL statement for the rows and their relations, and to a decoder for the answer. Prisma interprets each
 * query anew, and sends a statement for each relation.
 */
export class QueryCompiler {
  readonly #names: PreparedStatementNames;
  readonly #rows = new Statements(compileStatement);
  readonly #counts = new Statements(compileCount);
  readonly #groups = new Statements(compileGroups);

  constructor(names: PreparedStatementNames) {
    this.#names = names;
  }

  /**
   * @param query the arguments of findMany(); and `total`, whose `where` is the condition of the rows to count, for a count in
   *   the last column of each row
   * @param lock the lock that PostgreSQL takes on each row; the query must not include relations
   * @returns undefined where the query isn't supported: Prisma has to run it
   */
  compile(model: Prisma.ModelName, query: object, tenantId: string, lock?: RowLock): CompiledQuery | undefined {
    return this.#prepare(this.#rows.find(model, query, tenantId), lock ? ` for ${lock}` : '');
  }

  /** @returns undefined where a condition isn't supported */
  compileGroups(model: Prisma.ModelName, query: GroupsQuery, tenantId: string): CompiledQuery | undefined {
    return this.#prepare(this.#groups.find(model, query, tenantId));
  }

  #prepare(found: Found<RowsStatement> | undefined, suffix = ''): CompiledQuery | undefined {
    if (!found) return undefined;
    const { statement, parameters } = found;
    const text = statement.text + suffix;
    const name = statement.isPlannedOnce ? this.#names.of(text) : '';
    return { statement: { name, text, values: parameters, rowMode: 'array', types }, decode: statement.decode };
  }

  /**
   * The total is taken from maintained counts where they answer the query.
   * @returns a statement whose only row has the `total`; undefined where the query isn't supported
   */
  compileCount(model: Prisma.ModelName, query: object, tenantId: string): QueryConfig | undefined {
    const found = this.#counts.find(model, query, tenantId);
    if (!found) return undefined;
    const { statement, parameters } = found;
    const name = statement.isPlannedOnce ? this.#names.of(statement.text) : '';
    return { name, text: statement.text, values: parameters };
  }
}

/** The statement for a query, and its parameters. */
interface Found<Compiled extends Statement> {
  statement: Compiled;
  parameters: unknown[];
}

/** Statements by shape. */
class Statements<Compiled extends Statement> {
  readonly #compile: (model: Prisma.ModelName, query: object) => Compiled;
  /** Null where the query isn't supported and Prisma runs it. */
  readonly #known = new Map<string, Compiled | null>();

  constructor(compile: (model: Prisma.ModelName, query: object) => Compiled) {
    this.#compile = compile;
  }

  /** @returns undefined where the query or one of its values isn't supported */
  find(model: Prisma.ModelName, query: object, tenantId: string): Found<Compiled> | undefined {
    const values: unknown[] = [];
    const shape = model + buildShape(query, values);
    let statement = this.#known.get(shape);
    if (statement === undefined) statement = this.#add(shape, model, query);
    if (statement === null) return undefined;
    const parameters: unknown[] = [tenantId];
    try {
      for (let at = 0; at < values.length; at += 1) parameters.push(statement.encode[at]?.(values[at]));
    } catch (error) {
      if (error instanceof UnsupportedQuery) return undefined;
      throw error;
    }
    return { statement, parameters };
  }

  #add(shape: string, model: Prisma.ModelName, query: object): Compiled | null {
    let statement: Compiled | null = null;
    try {
      statement = this.#compile(model, query);
    } catch (error) {
      if (!(error instanceof UnsupportedQuery)) throw error;
    }
    if (this.#known.size === maxShapes) this.#known.delete(this.#known.keys().next().value ?? '');
    this.#known.set(shape, statement);
    return statement;
  }
}

/** Values as PostgreSQL writes them: statements bring their own decoders. */
const types = { getTypeParser: () => (value: unknown) => value };
