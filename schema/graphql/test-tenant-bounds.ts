import { countedRows, tableOf } from '../../prisma/client.ts';
import { refuse } from '../errors/errors.ts';
import type { Context } from './context.ts';

// Test tenants cost nothing, so that they are bounded (DECISIONS.md#d160-test-tenants).

/** The most rows of documents and what they refer to: whatever has a list. */
export const maxTestRows = 10_000;
/** The most that the files of a test tenant may have in all. */
export const maxTestFileBytes = 100 * 2 ** 20;

const resources = (Object.keys(countedRows) as (keyof typeof countedRows)[]).map(
  (model) => `'${tableOf(model).table}'`,
);

/** Mutations that add no document, and so can be done in a test tenant that is full. */
const needsNoRoom =
  /^(delete|disable|enable|ignore|ping|redeliver|remove|reset|revoke|rotate|set|simulateWebhook|unignore|unmatch|update)/;

/** Refuses a mutation of a test tenant that is full. */
export async function requireTestRoomFor(mutation: string, context: Context): Promise<void> {
  if (!needsNoRoom.test(mutation)) await requireTestRoom(context, 1);
}

/** Refuses so many more rows in a test tenant that would have too many then. */
export async function requireTestRoom({ db, tenant }: Context, rows: number): Promise<void> {
  if (!tenant.test) return;
  const [counted] = await db.$rows<{ rows: number }>(
    `select coalesce(sum(rows), 0)::int as rows from row_counts
     where tenant_id = $1 and resource in (${resources.join(', ')})`,
    [],
  );
  if ((counted?.rows ?? 0) + rows <= maxTestRows) return;
  const message = `A test tenant has at most ${maxTestRows} documents, customers, payments, and the like. Reset it, or delete some.`;
  refuse('tenant', 'limit_reached', message, { max: maxTestRows });
}
