import { isPlain } from '../../prisma/client.ts';
import { Decimal } from '../money/money.ts';

/**
 * Whether an update would change a row. One that would not is answered without a write, so that it emits no event
 * (DECISIONS.md#d34-events).
 * @param data as for Prisma: undefined leaves a column as it is
 */
export function isChanged(row: object, data: object): boolean {
  const before = row as Record<string, unknown>;
  for (const [name, value] of Object.entries(data))
    if (value !== undefined && comparable(value) !== comparable(before[name])) return true;
  return false;
}

function comparable(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  if (Decimal.isDecimal(value)) return value.toFixed();
  if (isPlain(value)) return JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return value ?? null;
}
