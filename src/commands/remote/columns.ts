import type { RemoteOperation } from './operations.ts';

/**
 * The columns of a list, in order of importance: a narrow terminal shows the first ones. A list without an entry shows all
 * fields that are neither lists nor objects.
 */
const columnsOfLists: Record<string, string[]> = {
  deliveries: ['id', 'created_at', 'event_type', 'state', 'attempt_count', 'webhook_id'],
  webhooks: ['id', 'url', 'active', 'consecutive_failures', 'description'],
  events: ['created_at', 'event', 'id'],
  'audit-log': ['at', 'action', 'resource', 'resource_id', 'version', 'request_id'],
  anchors: ['at', 'id', 'key_id'],
  customers: ['id', 'company_name', 'type', 'city', 'country', 'email', 'vat_id'],
  invoices: ['id', 'number', 'status', 'total_gross', 'currency', 'due_date', 'amount_due', 'invoice_date', 'subject'],
  'credit-notes': [
    'id',
    'number',
    'invoice_number',
    'total_gross',
    'currency',
    'credit_note_date',
    'amount_due',
    'reason',
  ],
  receipts: ['id', 'status', 'receipt_date', 'amount_gross', 'currency', 'receipt_number', 'description'],
  projects: ['id', 'name', 'status', 'start_date', 'end_date'],
  'time-entries': ['id', 'date', 'duration_minutes', 'description', 'billable'],
  payments: ['id', 'paid_on', 'amount', 'currency', 'invoice_id', 'receipt_id', 'credit_note_id', 'reversed_at'],
  'bank-accounts': ['id', 'iban', 'currency', 'name'],
  'bank-statements': ['id', 'number', 'from_date', 'to_date', 'opening_balance', 'closing_balance', 'continuity'],
  'bank-transactions': ['id', 'booking_date', 'amount', 'currency', 'match_status', 'counterparty_name', 'reference'],
  'test-tenants': ['items'], // few, so that they are one item
};

/** The columns that a list shows unless the user names others. */
export function getColumns({ noun, fields }: RemoteOperation): string[] {
  const known = columnsOfLists[noun]?.filter((column) => fields.has(column));
  return known ?? [...fields].filter(([, type]) => type !== 'nested').map(([name]) => name);
}
