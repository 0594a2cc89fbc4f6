import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import type { Pool } from 'pg';
import type { PreparedStatementNames } from './prepared-statement-names.ts';

/** Prisma's adapter for pg. It sends statements that Citus accepts, too. */
export class Adapter extends PrismaPg {
  /** @param names names for the statements that PostgreSQL keeps prepared */
  constructor(pool: Pool, names: PreparedStatementNames) {
    super(pool, {
      // As with Statement.isPlannedOnce: for a pattern or a range, the best index depends on the values.
      statementNameGenerator: ({ sql }) => (/LIKE|[<>]/.test(sql) ? '' : names.of(sql)),
    });
  }

  override async connect() {
    const adapter = await super.connect();
    const startTransaction = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (isolationLevel) => withoutCasts(await startTransaction(isolationLevel));
    return withoutCasts(adapter);
  }
}

function withoutCasts<Of extends SqlQueryable>(queryable: Of): Of {
  const queryRaw = queryable.queryRaw.bind(queryable);
  queryable.queryRaw = (query) => queryRaw({ ...query, sql: withoutReturnedCasts(query.sql) });
  return queryable;
}

/**
 * The statement without the casts of enums to text in its RETURNING clause. Citus takes only immutable functions there, and
 * these casts aren't. PostgreSQL sends an enum as text anyway.
 */
function withoutReturnedCasts(sql: string): string {
  const start = sql.lastIndexOf(' RETURNING ');
  return start === -1 ? sql : sql.slice(0, start) + sql.slice(start).replaceAll(/(?<=")::text\b(?!\[)/g, '');
}
