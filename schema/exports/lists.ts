import type { ExportResource } from '../../prisma/client.ts';
import type { Context } from '../graphql/context.ts';
import { readableEntries } from '../resources/audit-log/readable.ts';
import { exchangeColumns } from '../resources/exchange-rate.ts';
import { exchangeDifferences } from '../resources/payment/exchange.ts';
import { receiptLinesSql } from '../resources/receipt/lines.ts';
import { buildColumns, computed, type Column, type TableSource } from './table.ts';

// The tables of lists. Columns are named, and in the order, as in REST (rest-shim/operations/). Values that depend on the
// day or on other rows are left out.

const own = ['externalId', 'metadata', 'createdAt', 'updatedAt'];

/** A table whose rows have a day, by which an index has them in order. */
const byDay = (table: string, day: string, columns: Column[]): TableSource => ({
  columns,
  from: `${table} as own`,
  where: 'own.tenant_id = $1',
  order: [`own.${day}`, 'own.id'],
  dated: { sql: `own.${day}` },
});

const byId = (table: string, columns: Column[]): TableSource => ({
  columns,
  from: `${table} as own`,
  where: 'own.tenant_id = $1',
  order: ['own.id'],
});

/**
 * The lines of documents, in the order of these. Each document's lines are looked up by its id: PostgreSQL may expect one document of
 * a tenant that is new, and would read all lines again for each one if it had the choice.
 */
const byDocument = (document: string, day: string, lines: string, columns: Column[]): TableSource => ({
  columns,
  from: `${document}s as own cross join lateral (
    select * from ${lines} where tenant_id = $1 and ${document}_id = own.id order by position offset 0) as line`,
  where: 'own.tenant_id = $1',
  order: [`own.${day}`, 'own.id', 'line.position'],
  dated: { sql: `own.${day}` },
});

const lineFields = [
  'position',
  'title',
  'description',
  'vatCategory',
  'exemptionReason',
  'unitCode',
  'discountPercent',
  'servicePeriodStart',
  'servicePeriodEnd',
  'quantity',
  'unit',
  'unitPriceNet',
  'vatRate',
  'lineTotalNet',
];

const invoiceNumber = computed(
  'invoice_number',
  'text',
  '(select invoice.number from invoices as invoice where invoice.tenant_id = $1 and invoice.id = own.invoice_id)',
);

const exchangeDifference = computed(
  'exchange_difference',
  'number',
  `(select trim_scale(difference)::text from (${exchangeDifferences('payment.id = own.id')}) as differing)`,
  2,
);

const tables: Record<Exclude<ExportResource, 'AUDIT_LOG'>, TableSource> = {
  CUSTOMERS: byId(
    'customers',
    buildColumns('Customer', 'own', [
      'id',
      'type',
      'companyName',
      'email',
      'addressLine1',
      'postalCode',
      'city',
      'country',
      'vatId',
      'contactName',
      'phone',
      'buyerReference',
      'electronicAddress',
      'electronicAddressScheme',
      'language',
      'paymentTermsDays',
      'requiredEInvoice',
      ...own,
    ]),
  ),
  INVOICES: byDay(
    'invoices',
    'invoice_date',
    buildColumns('Invoice', 'own', [
      'id',
      'number',
      'customerId',
      'invoiceDate',
      'dueDate',
      'deliveryDate',
      'subject',
      'currency',
      'status',
      'totalNet',
      'totalVat',
      'totalGross',
      'amountCredited',
      'amountRefunded',
      'amountPaid',
      'amountAdjusted',
      'amountDue',
      'issuedAt',
      'paidAt',
      'cancelledAt',
      ...exchangeColumns,
      ...own,
    ]),
  ),
  INVOICE_ITEMS: byDocument('invoice', 'invoice_date', 'invoice_items', [
    ...buildColumns('InvoiceItem', 'line', ['id', 'invoiceId']),
    ...buildColumns('Invoice', 'own', ['number', 'invoiceDate', 'currency']),
    ...buildColumns('InvoiceItem', 'line', lineFields),
  ]),
  CREDIT_NOTES: byDay('credit_notes', 'credit_note_date', [
    ...buildColumns('CreditNote', 'own', ['id', 'number', 'invoiceId']),
    invoiceNumber,
    ...buildColumns('CreditNote', 'own', [
      'customerId',
      'creditNoteDate',
      'reason',
      'isCancellation',
      'currency',
      'totalNet',
      'totalVat',
      'totalGross',
      'amountRefunded',
      ...exchangeColumns,
      ...own,
    ]),
  ]),
  CREDIT_NOTE_ITEMS: byDocument('credit_note', 'credit_note_date', 'credit_note_items', [
    ...buildColumns('CreditNoteItem', 'line', ['id', 'creditNoteId']),
    ...buildColumns('CreditNote', 'own', ['number', 'creditNoteDate', 'currency']),
    ...buildColumns('CreditNoteItem', 'line', ['invoiceItemId', ...lineFields]),
  ]),
  RECEIPTS: byDay(
    'receipts',
    'receipt_date',
    buildColumns('Receipt', 'own', [
      'id',
      'supplierId',
      'receiptNumber',
      'receiptDate',
      'dueDate',
      'description',
      'category',
      'currency',
      'amountGross',
      'vatRate',
      'vatAmount',
      'amountNet',
      'amountPrepaid',
      'amountPayable',
      'serviceDate',
      'receivedOn',
      'creditedReceiptId',
      'amountPaid',
      'amountAdjusted',
      'projectId',
      'status',
      'paidAt',
      'reversalOfId',
      'reason',
      'reversedAt',
      ...exchangeColumns,
      ...own,
    ]),
  ),
  RECEIPT_LINES: {
    columns: [
      computed('id', 'text', `own.id || '-' || own.position`), // a line has no id of its own
      computed('receipt_id', 'text', 'own.id::text'),
      computed('receipt_number', 'text', 'own.number'),
      computed('receipt_date', 'day', 'own.date::text'),
      computed('currency', 'text', 'own.currency'),
      computed('position', 'integer', 'own.position::text'),
      computed('description', 'text', 'own.description'),
      computed('account', 'text', 'own.account'),
      computed('vat_category', 'text', 'own.category'),
      ...Object.entries({ vat_rate: 'rate', deductible_percent: 'deductible' }).map(([name, column]) =>
        computed(name, 'number', `trim_scale(own.${column})::text`, 2),
      ),
      ...Object.entries({ amount_net: 'net', vat_amount: 'vat', amount_gross: 'gross' }).map(([name, column]) =>
        computed(name, 'number', `trim_scale(own.${column})::text`, 4),
      ),
    ],
    from: `(${receiptLinesSql('document.tenant_id = $1')}) as own`,
    order: ['own.date', 'own.id', 'own.position'],
    dated: { sql: 'own.date' },
  },
  PAYMENTS: byDay('payments', 'paid_on', [
    ...buildColumns('Payment', 'own', [
      'id',
      'kind',
      'invoiceId',
      'receiptId',
      'creditNoteId',
      'customerId',
      'bankTransactionId',
      'recordedWithId',
      'amount',
      'currency',
      'exchangeAmount',
      'exchangeCurrency',
      'exchangeRate',
    ]),
    exchangeDifference,
    ...buildColumns('Payment', 'own', ['paidOn', 'reversalOfId', 'reason', 'userId', 'reversedAt', ...own]),
  ]),
  PROJECTS: byId(
    'projects',
    buildColumns('Project', 'own', [
      'id',
      'customerId',
      'name',
      'description',
      'hourlyRateNet',
      'currency',
      'budgetHours',
      'startDate',
      'endDate',
      'status',
      ...own,
    ]),
  ),
  TIME_ENTRIES: byDay('time_entries', 'date', [
    ...buildColumns('TimeEntry', 'own', [
      'id',
      'projectId',
      'userId',
      'date',
      'durationMinutes',
      'description',
      'billable',
      'hourlyRateNet',
      'invoiceId',
    ]),
    computed('billed', 'boolean', '(own.invoice_id is not null)::text'),
    ...buildColumns('TimeEntry', 'own', own),
  ]),
  BANK_ACCOUNTS: byId('bank_accounts', buildColumns('BankAccount', 'own', ['id', 'iban', 'currency', 'name', ...own])),
  BANK_STATEMENTS: byDay(
    'bank_statements',
    'to_date',
    buildColumns('BankStatement', 'own', [
      'id',
      'bankAccountId',
      'number',
      'fromDate',
      'toDate',
      'openingBalance',
      'closingBalance',
      'createdAt',
    ]),
  ),
  BANK_TRANSACTIONS: byDay(
    'bank_transactions',
    'booking_date',
    buildColumns('BankTransaction', 'own', [
      'id',
      'externalId',
      'accountIban',
      'bookingDate',
      'valueDate',
      'amount',
      'currency',
      'counterpartyName',
      'counterpartyIban',
      'reference',
      'matchStatus',
      'amountOpen',
      'createdAt',
      'updatedAt',
    ]),
  ),
};

/** The entries that the caller may read, in the order in which they were written. */
function auditLog(context: Pick<Context, 'may'>): TableSource {
  const hidden = readableEntries(context).resource?.notIn ?? [];
  const names = hidden.map((name) => `'${name}'`).join(', ');
  return {
    columns: [
      ...buildColumns('AuditEntry', 'own', ['id', 'at', 'actorKind', 'userId', 'tokenId', 'sessionId', 'job']),
      ...buildColumns('AuditEntry', 'own', [
        'requestId',
        'resource',
        'resourceId',
        'version',
        'action',
        'before',
        'after',
      ]),
      computed('seal', 'text', `seal.number || ':' || encode(seal.hash, 'hex')`),
    ],
    from: 'audit_entries as own left join audit_seals as seal on seal.tenant_id = own.tenant_id and seal.id = own.id',
    where: `own.tenant_id = $1${names && ` and own.resource not in (${names})`}`,
    order: ['own.id'],
    dated: { sql: 'own.at', isTimeOfId: true },
  };
}

/** The table of a list, as the caller may read it. */
export const buildList = (context: Pick<Context, 'may'>, resource: ExportResource): TableSource =>
  resource === 'AUDIT_LOG' ? auditLog(context) : tables[resource];
