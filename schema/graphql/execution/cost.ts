import { getNamedType, isInputObjectType, type GraphQLField, type GraphQLSchema } from 'graphql';
import { maxGroups } from '../aggregates.ts';
import { getBounds } from '../input/validators.ts';
import type { Prisma } from '../../../prisma/client.ts';
import { tables } from '../../../prisma/tables.ts';
import type { PageArgs } from '../paging/page.ts';
import { defaultChanges, defaultPageSize, maxChanges, maxPageSize } from '../paging/page-sizes.ts';
import { aggregateScans, listScans, nestedScans } from './scans.ts';

/** The assumed length of a list without pages. The rows that it really has are counted when they are there (response-size.ts). */
const listLength = 10;

/** The bytes that a value stands for: a response of the highest cost is about as long as a response may be. */
export const bytesPerValue = 400;

/**
 * The cost, in values, of a scan of many of a tenant's rows: for a search, a count that isn't maintained, or a sum. The
 * response may be one number, but PostgreSQL's work grows with the tenant's data.
 */
export const scanCost = 750;

/**
 * The cost of a filter or an order of a list within a resource: it reads all rows of that resource, by an index. Many resources
 * together may have all of the tenant's rows.
 */
export const nestedScanCost = 250;

/** The cost of decompressing the results of some lines of a bulk operation. */
export const bulkChunkCost = 20;

/** The cost of a file: a PDF may have to be made, which takes longer than any query. */
const fileCost = 2 * scanCost;

/** Values that are long, in bytes as JSON, where no input says how long. */
const lengths: Record<string, number> = {
  'DocumentFile.base64': 1_000_000,
  // Bodies of large invoices are longer. They are counted when they are read: a page of events would cost too much otherwise.
  'Event.body': 10_000,
  'Event.json': 10_000,
  'AuditEntry.before': 5_000, // likewise
  'AuditEntry.after': 5_000,
  'DeliveryAttempt.responseBody': 6 * 16_384, // control characters
};

/** Lists whose longest length is known. */
const longestLists: Record<string, number> = {
  'Delivery.attempts': 6,
  'Query.exactMatches': 40,
  'Query.auditUsers': 200,
};

type Field = Pick<GraphQLField<unknown, unknown>, 'name' | 'type'>;

/** The lengths that inputs allow, by their names. Answered fields of these names are as long. */
export function textLengths(schema: GraphQLSchema): ReadonlyMap<string, number> {
  const longest = new Map<string, number>();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isInputObjectType(type)) continue;
    for (const { name, extensions } of Object.values(type.getFields())) {
      const { validate } = (extensions['pothosOptions'] ?? {}) as { validate?: unknown };
      longest.set(name, Math.max(longest.get(name) ?? 0, getBounds(validate).maxLength ?? 0));
    }
  }
  return longest;
}

/**
 * The cost of a field of the type `typeName`: 1, its scans, and the cost of its selection times the number of its rows. A
 * connection or a page of changes multiplies by the requested page size, so that `nodes` and `edges`, which repeat the
 * rows, count once.
 * @param texts the lengths of texts by the names of their fields
 */
export function computeCost(typeName: string, texts: ReadonlyMap<string, number>) {
  return (args: object, context: CostContext, field: Field): { field: number; multiplier: number } => {
    const type = String(field.type);
    const [, rows] = /^(\w+)Connection!?$/.exec(type) ?? [];
    if (rows !== undefined) {
      const cost =
        rows === 'BulkResult'
          ? costOfResults(args)
          : costOfScans(typeName, rows, args, (scan) => context.scans.add(`${field.name} (${scan})`));
      return { field: 1 + cost, multiplier: pageLength(args) };
    }
    if (/^\[\w+Group!\]!$/.test(type)) {
      context.scans.add(`${field.name} (every row that its filter finds)`);
      return { field: aggregateScans(args) * scanCost, multiplier: groupCount(args) };
    }
    if (type === 'ChangePage!') {
      const { limit } = args as { limit?: number | null };
      return { field: 1, multiplier: Math.min(Math.max(limit ?? defaultChanges, 1), maxChanges) };
    }
    if (type === '[Node]!') return { field: 1, multiplier: (args as { ids?: unknown[] }).ids?.length ?? 1 };
    const named = getNamedType(field.type).name;
    if (named === 'DocumentFile') return { field: fileCost, multiplier: 1 };
    const isRow = field.name === 'nodes' || field.name === 'edges';
    const whole = `${typeName}.${field.name}`;
    const length = lengths[whole] ?? (named === 'String' ? texts.get(field.name) : undefined) ?? 0;
    const scans = scansOfFields[whole] ?? 0;
    if (typeName === 'Query' && scans > 0) context.scans.add(`${field.name} (every document)`);
    return {
      field: Math.max(1, Math.ceil(length / bytesPerValue)) + scans * scanCost,
      multiplier: type.startsWith('[') && !isRow ? (longestLists[whole] ?? listLength) : 1,
    };
  };
}

/** The scans of fields that sum over many rows. */
const scansOfFields: Record<string, number> = {
  ...Object.fromEntries(
    ['outstanding', 'overdue', 'paidThisMonth', 'unbilledMinutes', 'months'].map((name) => [`Overview.${name}`, 1]),
  ),
  // Each reads documents, their lines, and payments.
  'Query.vatReport': 3,
  'Query.vatReportDocuments': 3,
  'Query.profitAndLoss': 3,
  'Query.profitAndLossDocuments': 3,
  'Query.ecSales': 3,
  'Query.ecSalesDocuments': 3,
  'Query.openItems': 2,
  // The suggestions of hundreds of transactions.
  'Query.exactMatches': 5,
  'Mutation.confirmExactMatches': 5,
  'Query.periodLockCheck': 1,
  // All statements of an account.
  'Query.bankBalance': 1,
  'BankAccount.balance': 0.04, // one query for all accounts of a page
};

/** The context in which the costs of a document's fields are computed. */
export interface CostContext {
  /** The fields that read many rows, each with the cause, in words. */
  scans: Set<string>;
}

/** The cost of what a list reads beside its page. */
function costOfScans(typeName: string, rows: string, args: PageArgs, note: (cause: string) => void): number {
  if (!tables.has(rows as Prisma.ModelName)) return 0;
  const isNested = typeName !== 'Query';
  const { count, causes } = isNested ? nestedScans(args) : listScans(rows as Prisma.ModelName, args);
  causes.forEach(note);
  return count * (isNested ? nestedScanCost : scanCost);
}

/** Each line that was refused may be in a chunk of its own. */
const costOfResults = (args: PageArgs & { failed?: boolean | null }): number =>
  bulkChunkCost * (args.failed ? pageLength(args) : 1);

/** How many groups there may be by a value that isn't one of very many. */
const groupsBy: Record<string, number> = { STATUS: 4, MATCH_STATUS: 4, CURRENCY: 4, BILLABLE: 2, MONTH: 120 };

/** The groups that an aggregate may have; of values that only the rows say, the most that are returned. */
function groupCount({ groupBy, first }: { groupBy?: string[] | null; first?: number | null }): number {
  const most = Math.max(listLength, ...(groupBy ?? []).map((name) => groupsBy[name] ?? maxGroups));
  return Math.min(Math.max(first ?? most, 1), maxGroups);
}

function pageLength({ first, last }: PageArgs): number {
  return Math.min(Math.max(first ?? last ?? defaultPageSize, 1), maxPageSize);
}
