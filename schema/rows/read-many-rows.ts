import type { Context } from '../graphql/context.ts';

/**
 * Runs a statement that joins all of a tenant's rows, as a report does. Where most tenants have few rows, PostgreSQL expects few of
 * each one, and would go through a whole table again for every row of another.
 * @param sql with the tenant's id as $1, and the values after it
 */
export const readManyRows = <Row>(context: Context, sql: string, values: unknown[]): Promise<Row[]> =>
  context.transaction(async ({ db }) => {
    await db.planForManyRows();
    return db.$rows<Row>(sql, values);
  });
