import type { ExportResource } from '../../../prisma/client.ts';
import type { Context } from '../../graphql/context.ts';
import { formatDay } from '../../graphql/scalars/days.ts';
import type { ExportRow } from '../../resources/export/transitions.ts';
import { csvChunks } from '../csv.ts';
import type { ExportContent, OnRows } from '../export-content.ts';
import { buildList } from '../lists.ts';
import { countRows, readRows, type Period } from '../table.ts';
import { zipChunks } from '../zip.ts';
import { describeMedium, dtd, dtdName } from './description.ts';
import { readAttachments, readFiles } from './documents.ts';

// The medium that is handed to the tax office for its own analysis ("Z3", GoBD Rz. 167; § 147 (6) AO).

interface Table {
  name: string;
  resource: ExportResource;
  description: string;
  refersTo: Readonly<Record<string, string>>;
}

const tables: readonly Table[] = [
  { name: 'customers', resource: 'CUSTOMERS', description: 'Kunden und Lieferanten', refersTo: {} },
  { name: 'invoices', resource: 'INVOICES', description: 'Rechnungen', refersTo: { customer_id: 'customers' } },
  {
    name: 'invoice_items',
    resource: 'INVOICE_ITEMS',
    description: 'Positionen der Rechnungen',
    refersTo: { invoice_id: 'invoices' },
  },
  { name: 'credit_notes', resource: 'CREDIT_NOTES', description: 'Gutschriften', refersTo: { invoice_id: 'invoices' } },
  {
    name: 'credit_note_items',
    resource: 'CREDIT_NOTE_ITEMS',
    description: 'Positionen der Gutschriften',
    refersTo: { credit_note_id: 'credit_notes' },
  },
  { name: 'receipts', resource: 'RECEIPTS', description: 'Eingangsbelege', refersTo: { supplier_id: 'customers' } },
  {
    name: 'receipt_lines',
    resource: 'RECEIPT_LINES',
    description: 'Positionen der Eingangsbelege',
    refersTo: { receipt_id: 'receipts' },
  },
  {
    name: 'payments',
    resource: 'PAYMENTS',
    description: 'Zahlungen und Erstattungen',
    refersTo: {
      invoice_id: 'invoices',
      receipt_id: 'receipts',
      credit_note_id: 'credit_notes',
      bank_transaction_id: 'bank_transactions',
    },
  },
  { name: 'bank_accounts', resource: 'BANK_ACCOUNTS', description: 'Bankkonten', refersTo: {} },
  {
    name: 'bank_statements',
    resource: 'BANK_STATEMENTS',
    description: 'Kontoauszüge',
    refersTo: { bank_account_id: 'bank_accounts' },
  },
  { name: 'bank_transactions', resource: 'BANK_TRANSACTIONS', description: 'Bankbewegungen', refersTo: {} },
  { name: 'audit_log', resource: 'AUDIT_LOG', description: 'Protokoll der Änderungen', refersTo: {} },
];

export async function gobdContent(context: Context, asked: ExportRow, onRows: OnRows): Promise<ExportContent> {
  const { from, to } = asked;
  if (!from || !to) throw new Error('A GoBD export has a period');
  const period = { from: formatDay(from), to: formatDay(to) };
  const described = tables.map((table) => ({ ...table, columns: buildList(context, table.resource).columns }));
  const company = await context.db.company.findFirst();
  const medium = {
    supplier: company?.legalName ?? context.tenant.name,
    location: [company?.addressLine1, company?.postalCode, company?.city].filter(Boolean).join(', ') || '-',
    ...period,
    tables: described,
  };
  let written = 0;
  return {
    fileName: `gobd-${period.from}-${period.to}.zip`,
    chunks: zipChunks(async (zip) => {
      zip.addBytes('index.xml', describeMedium(medium));
      zip.addBytes(dtdName, dtd);
      for (const { name, resource } of tables) {
        const source = buildList(context, resource);
        const pages = counted(readRows(context, source, period), (rows) => onRows((written += rows)));
        await zip.add(`${name}.csv`, csvChunks(source.columns, pages, { isMarked: false }));
      }
      for await (const { name, content } of readFiles(context, { from, to })) await zip.add(name, content);
      for await (const { name, content } of readAttachments(context, { from, to })) await zip.add(name, content);
    }),
  };
}

export async function countGobd(context: Context, period: Period): Promise<number> {
  let count = 0;
  for (const { resource } of tables) count += await countRows(context, buildList(context, resource), period);
  return count;
}

async function* counted<Row>(pages: AsyncIterable<Row[]>, onRows: (count: number) => void): AsyncGenerator<Row[]> {
  for await (const rows of pages) {
    yield rows;
    onRows(rows.length);
  }
}
