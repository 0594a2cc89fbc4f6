import { isPlain } from '../query-compiler/shape.ts';

const uniqueOperations = new Set(['findUnique', 'findUniqueOrThrow', 'update', 'delete', 'upsert']);

/** The arguments of one of Prisma's operations, restricted to one tenant's rows. */
export function scopedArguments<Args>(operation: string, args: Args, tenantId: string): Args {
  const creates = operation.startsWith('create');
  const result = withKeys(args ?? {}, tenantId) as Record<string, unknown>;
  if (!uniqueOperations.has(operation) && !creates) {
    result['where'] = { AND: [result['where'] ?? {}, { tenantId }] };
  }
  for (const key of ['data', 'create', 'update']) {
    const rows = result[key];
    if (Array.isArray(rows)) result[key] = rows.map((row) => withTenant(row, tenantId));
    else if (rows) result[key] = creates || key === 'create' ? withTenant(rows, tenantId) : withoutTenant(rows);
  }
  return result as Args;
}

/**
 * Every unique key is composite, as `{ tenantId_id: { tenantId, id } }`. Wherever one names a row (`where`, a cursor, a
 * nested connect), it names the tenant's. The tenant goes inside the key rather than beside it: Prisma makes an upsert
 * one atomic statement only when `where` is nothing but the key.
 */
function withKeys(part: unknown, tenantId: string): unknown {
  if (Array.isArray(part)) return part.map((each) => withKeys(each, tenantId));
  if (!isPlain(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [
      name,
      name.startsWith('tenantId_') ? withTenant(value, tenantId) : withKeys(value, tenantId),
    ]),
  );
}

/** An update's data. A row stays its tenant's, and Citus refuses to set the column. */
function withoutTenant(data: object): object {
  const { tenantId: _, ...others } = data as { tenantId?: unknown };
  return others;
}

function withTenant(part: unknown, tenantId: string): object {
  return { ...(part as object | undefined), tenantId };
}
