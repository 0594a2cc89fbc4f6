import type {
  ExportChart as ExportCharts,
  ExportFormat as ExportFormats,
  ExportResource as ExportResources,
  ExportSide as ExportSides,
  ExportStatus as ExportStatuses,
  ExportType as ExportTypes,
} from '../../../prisma/generated/client/client.ts';
import { builder } from '../../graphql/builder.ts';
import { Node } from '../../graphql/node.ts';

export const ExportType = builder.enumType('ExportType', {
  description: 'What is exported.',
  values: {
    DATEV: { description: 'The bookings of a period, for DATEV: EXTF 700, a file for each year.' },
    GOBD: {
      description:
        'The books of a period, for a tax audit in Germany (GoBD, Z3): tables, their description, documents.',
    },
    OPEN_ITEMS: { description: 'What was open at the end of a day.' },
    LIST: { description: 'A list.' },
  } satisfies Record<ExportTypes, object>,
});

export const ExportFormat = builder.enumType('ExportFormat', {
  description: 'The format of a table.',
  values: {
    CSV: { description: 'Comma-separated values (RFC 4180), in UTF-8 with a byte order mark.' },
    XLSX: { description: 'A spreadsheet (Office Open XML).' },
  } satisfies Record<ExportFormats, object>,
});

const named = (restName: string, description: string) => ({ description, extensions: { restName } });

export const ExportResource = builder.enumType('ExportResource', {
  description: 'Whose list is exported.',
  values: {
    CUSTOMERS: { description: 'Customers and suppliers.' },
    INVOICES: { description: 'Invoices, drafts included.' },
    INVOICE_ITEMS: named('invoice-items', 'The lines of invoices.'),
    CREDIT_NOTES: named('credit-notes', 'Credit notes.'),
    CREDIT_NOTE_ITEMS: named('credit-note-items', 'The lines of credit notes.'),
    RECEIPTS: { description: 'Receipts, also those that are reversed, and their reversals.' },
    RECEIPT_LINES: named('receipt-lines', 'The lines of receipts.'),
    PAYMENTS: { description: 'Payments and refunds, also those that are reversed, and their reversals.' },
    PROJECTS: { description: 'Projects.' },
    TIME_ENTRIES: named('time-entries', 'Time entries.'),
    BANK_ACCOUNTS: named('bank-accounts', 'Bank accounts.'),
    BANK_STATEMENTS: named('bank-statements', 'Bank statements.'),
    BANK_TRANSACTIONS: named('bank-transactions', 'Bank transactions.'),
    AUDIT_LOG: named('audit-log', 'The audit log, as far as the token may read it.'),
  } satisfies Record<ExportResources, object>,
});

export const ExportSide = builder.enumType('ExportSide', {
  description: 'Who owes.',
  values: {
    RECEIVABLE: { description: 'Customers: issued invoices.' },
    PAYABLE: { description: 'The tenant: booked receipts.' },
  } satisfies Record<ExportSides, object>,
});

export const ExportChart = builder.enumType('ExportChart', {
  description: 'A chart of accounts of DATEV.',
  values: {
    SKR03: { description: 'Standardkontenrahmen 03.' },
    SKR04: { description: 'Standardkontenrahmen 04.' },
  } satisfies Record<ExportCharts, object>,
});

export const ExportStatus = builder.enumType('ExportStatus', {
  description: 'The state of an export.',
  values: {
    PENDING: { description: 'It waits for its turn.' },
    RUNNING: { description: 'It is being written.' },
    COMPLETED: { description: 'Its file can be downloaded until it expires.' },
    FAILED: { description: 'It could not be written. There is no file.' },
    CANCELLED: { description: 'It was cancelled. There is no file.' },
  } satisfies Record<ExportStatuses, object>,
});

export const Export = builder.prismaObject('Export', {
  interfaces: [Node],
  example: {
    type: 'LIST',
    format: 'CSV',
    resource: 'INVOICES',
    ids: [],
    from: '2026-01-01',
    to: '2026-12-31',
    at: null,
    side: null,
    chart: null,
    consultantNumber: null,
    clientNumber: null,
    status: 'COMPLETED',
    rows: 5000,
    processedRows: 5000,
    error: null,
    fileName: 'invoices-2026-01-01-2026-12-31.csv',
    length: 1048576,
    sha256: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
  },
  fields: (t) => ({
    id: t.exposeID('id'),
    type: t.expose('type', { type: ExportType }),
    format: t.expose('format', { type: ExportFormat, nullable: true }),
    resource: t.expose('resource', { type: ExportResource, nullable: true }),
    ids: t.expose('ids', { type: ['UUID'] }),
    from: t.expose('from', { type: 'Date', nullable: true }),
    to: t.expose('to', { type: 'Date', nullable: true }),
    at: t.expose('at', { type: 'Date', nullable: true }),
    side: t.expose('side', { type: ExportSide, nullable: true }),
    chart: t.expose('chart', { type: ExportChart, nullable: true }),
    consultantNumber: t.exposeInt('consultantNumber', { nullable: true }),
    clientNumber: t.exposeInt('clientNumber', { nullable: true }),
    status: t.expose('status', { type: ExportStatus }),
    rows: t.exposeInt('rows', { nullable: true }),
    processedRows: t.exposeInt('processedRows'),
    error: t.exposeString('error', { nullable: true }),
    fileName: t.exposeString('fileName', { nullable: true }),
    length: t.exposeInt('length', { nullable: true }),
    sha256: t.string({
      nullable: true,
      description: 'The SHA-256 of its file in hexadecimal digits; null until it is completed.',
      select: { sha256: true },
      resolve: ({ sha256 }) => sha256 && Buffer.from(sha256).toString('hex'),
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
