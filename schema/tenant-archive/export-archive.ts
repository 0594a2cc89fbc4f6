import type { Context } from '../graphql/context.ts';
import { partType, readParts } from './attachment-parts.ts';
import { readAuditRecords } from './audit-entries.ts';
import { byPosition } from '../resources/invoice/type.ts';
import {
  endType,
  format,
  hasItems,
  itemModels,
  recordColumns,
  recordTypes,
  typeField,
  writeValue,
  type ItemModel,
  type RecordType,
} from './format.ts';

/** The rows that are read at a time. An invoice has up to 500 items, and a file has many pages. */
const pageSizes: Partial<Record<RecordType['model'], number>> = {
  Invoice: 100,
  CreditNote: 100,
  InvoiceFile: 20,
  CompanyLogo: 20,
};
const usualPageSize = 200;

/** An export takes as long as it takes; a transaction needs some limit. */
const exportLimits = { timeout: 24 * 60 * 60 * 1000, isolationLevel: 'RepeatableRead' } as const;

/** How many records of each type a file has. */
export type RecordCounts = Record<RecordType['type'], number>;

export const noRecords = (): RecordCounts =>
  Object.fromEntries(recordTypes.map(({ type }) => [type, 0])) as RecordCounts;

/**
 * Writes all books of the tenant, as of one moment, a page at a time.
 * @param write gets whole lines, each with its line break, and is awaited
 */
export function exportBooks(context: Context, write: (lines: string) => Promise<void>): Promise<RecordCounts> {
  return context.transaction(async (inside) => {
    const counts = noRecords();
    await write(line(await buildHead(inside)));
    for (const recordType of recordTypes) {
      if (recordType.model === 'AuditEntry') {
        for await (const records of readAuditRecords(inside)) {
          counts[recordType.type] += records.length;
          await write(records.map((record) => line({ [typeField]: recordType.type, ...record })).join(''));
        }
        continue;
      }
      for await (const rows of readPages(inside, recordType)) {
        counts[recordType.type] += rows.length;
        if (recordType.model !== 'Attachment') {
          await write(rows.map((row) => line(toRecord(recordType, row))).join(''));
          continue;
        }
        for (const row of rows) {
          await write(line(toRecord(recordType, row)));
          for await (const part of readParts(inside, row as { id: string }))
            await write(line({ [typeField]: partType, ...part }));
        }
      }
    }
    await write(line({ [typeField]: endType, records: sumCounts(counts) }));
    return counts;
  }, exportLimits);
}

export const sumCounts = (counts: RecordCounts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

const line = (value: object): string => `${JSON.stringify(value)}\n`;

async function buildHead(context: Context): Promise<object> {
  const { tenant, identity } = context;
  const members = await identity.members(context);
  return {
    format: format.name,
    version: format.version,
    tenant: {
      id: tenant.id,
      name: tenant.name,
      country: tenant.country,
      default_currency: tenant.defaultCurrency,
      timezone: tenant.timezone,
    },
    members: members.map(({ user: { id, name, email } }) => ({ id, name, email })),
  };
}

type AnyRow = Record<string, unknown>;

/** Rows of a model in primary-key order. UUIDv7 makes that the order of creation. */
async function* readPages({ db }: Context, { model }: RecordType): AsyncGenerator<AnyRow[]> {
  if (model === 'InvoiceSequence' || model === 'CreditNoteSequence') {
    yield await db.model(model).findMany({ orderBy: { year: 'asc' } }); // a row for each year
    return;
  }
  const take = pageSizes[model] ?? usualPageSize;
  let after: string | undefined;
  for (;;) {
    const where = after === undefined ? {} : { id: { gt: after } };
    const query = {
      where,
      orderBy: { id: 'asc' },
      take,
      ...(hasItems(model) && { include: { [itemModels[model].field]: byPosition } }),
    };
    const rows = await db.model(model).findMany(query);
    if (rows.length > 0) yield rows;
    if (rows.length < take) return;
    after = rows.at(-1)?.id;
  }
}

function toRecord({ type, model }: RecordType, row: AnyRow): object {
  const record = { [typeField]: type, ...writeFields(model, row) };
  if (!hasItems(model)) return record;
  const { field, model: itemModel, refersBy, min } = itemModels[model];
  const items = row[field] as AnyRow[];
  if (items.length === 0 && min === 0) return record;
  // The record and the position are where the item stands.
  return {
    ...record,
    [field]: items.map((item) => {
      const { [refersBy]: _record, position: _position, ...fields } = writeFields(itemModel, item);
      return fields;
    }),
  };
}

const writeFields = (model: RecordType['model'] | ItemModel, row: AnyRow): Record<string, unknown> =>
  Object.fromEntries(
    recordColumns(model).map((column) => {
      const value = row[column.name];
      return [column.column, value === null ? null : writeValue(column, value)];
    }),
  );
