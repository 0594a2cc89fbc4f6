import { isOutOfTime } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';
import { formatDay } from '../graphql/scalars/days.ts';
import type { ExportRow } from '../resources/export/transitions.ts';
import { csvChunks } from './csv.ts';
import { countDocuments } from './datev/documents.ts';
import { datevContent } from './datev/export-datev.ts';
import { givePartnerAccounts } from './datev/partner-accounts.ts';
import { countGobd, gobdContent } from './gobd/export-gobd.ts';
import type { ExportContent, OnRows } from './export-content.ts';
import { buildList } from './lists.ts';
import { openItemsAt } from './open-items.ts';
import { countRows, readRows, type Cells, type Column, type Narrowing, type Period } from './table.ts';
import { xlsxChunks } from './xlsx.ts';

/**
 * The file of an export, which is read from the context's transaction while it is written. Little of it is in memory.
 * @throws ExportError, also while it is written; UnpreparedError
 */
export async function buildContent(context: Context, asked: ExportRow, onRows: OnRows): Promise<ExportContent> {
  switch (asked.type) {
    case 'LIST': {
      const { columns, pages } = openList(context, asked);
      const selection = asked.ids.length > 0 ? ['selection'] : [];
      const name = [asked.resource?.toLowerCase().replaceAll('_', '-'), ...selection, ...formatDays(asked)].join('-');
      return tableFile(name, asked, columns, counted(pages, onRows));
    }
    case 'OPEN_ITEMS': {
      const source = openItemsAt(asked);
      const name = ['open-items', asked.side?.toLowerCase(), ...formatDays(asked)].join('-');
      return tableFile(name, asked, source.columns, counted(readRows(context, source, noPeriod), onRows));
    }
    case 'DATEV':
      return datevContent(context, asked, onRows);
    case 'GOBD':
      return gobdContent(context, asked, onRows);
    default:
      throw new Error(`No export is of the type ${String(asked.type satisfies never)}`);
  }
}

/** Prepares an export outside of the transaction that reads the books, and before it. */
export async function prepareExport(context: Context, asked: ExportRow): Promise<void> {
  if (asked.type === 'DATEV') await givePartnerAccounts(context, readPeriod(asked));
}

/** The number of rows of an export before it is written; null where it isn't counted, or counting takes too long. */
export const countExport = (context: Context, asked: ExportRow): Promise<number | null> =>
  count(context, asked).catch((error: unknown) => {
    if (isOutOfTime(error)) return null;
    throw error;
  });

async function count(context: Context, asked: ExportRow): Promise<number | null> {
  if (asked.type === 'DATEV') return countDocuments(context, readPeriod(asked));
  if (asked.type === 'GOBD') return countGobd(context, readPeriod(asked));
  if (asked.type === 'OPEN_ITEMS') return countRows(context, openItemsAt(asked), noPeriod);
  if (asked.type !== 'LIST' || !asked.resource) return null;
  return countRows(context, buildList(context, asked.resource), readNarrowing(asked));
}

const noPeriod: Period = { from: null, to: null };

export const readPeriod = ({ from, to }: Pick<ExportRow, 'from' | 'to'>): Period => ({
  from: from && formatDay(from),
  to: to && formatDay(to),
});

const readNarrowing = (asked: ExportRow): Narrowing => ({ ...readPeriod(asked), ids: asked.ids });

const formatDays = ({ from, to, at }: ExportRow): string[] =>
  [from, to, at].flatMap((day) => (day === null ? [] : [formatDay(day)]));

function openList(context: Context, asked: ExportRow) {
  if (!asked.resource) throw new Error('A list has a resource');
  const source = buildList(context, asked.resource);
  return { columns: source.columns, pages: readRows(context, source, readNarrowing(asked)) };
}

const tableFile = (
  name: string,
  { format }: Pick<ExportRow, 'format'>,
  columns: readonly Column[],
  pages: AsyncIterable<Cells[]>,
): ExportContent =>
  format === 'XLSX'
    ? { fileName: `${name}.xlsx`, chunks: xlsxChunks(columns, pages) }
    : { fileName: `${name}.csv`, chunks: csvChunks(columns, pages) };

async function* counted(pages: AsyncIterable<Cells[]>, onRows: OnRows): AsyncGenerator<Cells[]> {
  let written = 0;
  for await (const rows of pages) {
    yield rows;
    onRows((written += rows.length));
  }
}
