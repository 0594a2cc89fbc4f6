import type { Components, JsonSchema } from './schemas.ts';

const id = '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b';
const link = (page: number): string => `https://kontor.example/api/v1/customers?page=${page}`;

/** What examples say, by the name of the field, or of the component and the field. Each is one of a story that adds up. */
const values: Record<string, unknown> = {
  company_name: 'Bäckerei Sonnenschein GmbH',
  email: 'rechnung@sonnenschein.example',
  address_line1: 'Hauptstraße 12',
  postal_code: '10115',
  city: 'Berlin',
  country: 'DE',
  vat_id: 'DE123456789',
  number: '2026-0017',
  invoice_date: '2026-01-31',
  due_date: '2026-02-14',
  subject: 'Website, January',
  currency: 'EUR',
  'Invoice.status': 'issued',
  'CreateInvoiceInput.status': 'issued',
  title: 'Web design',
  quantity: 8,
  unit: 'h',
  unit_price_net: 95,
  vat_rate: 19,
  line_total_net: 760,
  net: 760,
  vat: 144.4,
  total_net: 760,
  total_vat: 144.4,
  total_gross: 904.4,
  amount_paid: 0,
  amount_due: 904.4,
  paid_at: null,
  cancelled_at: null,
  receipt_number: 'R-2026-88',
  receipt_date: '2026-01-20',
  category: 'software',
  amount_gross: 119,
  vat_amount: 19,
  amount_net: 100,
  description: 'Design of the new shop pages',
  hourly_rate_net: 95,
  budget_hours: 40,
  start_date: '2026-01-01',
  end_date: '2026-03-31',
  tracked_minutes: 480,
  date: '2026-01-30',
  duration_minutes: 90,
  billable: true,
  billed: false,
  'TimeEntry.invoice_id': null,
  external_id: '2026013100017',
  account_iban: 'DE02120300000000202051',
  booking_date: '2026-02-10',
  value_date: '2026-02-10',
  'BankTransaction.amount': 904.4,
  'Match.amount': 904.4,
  amount_open: 0,
  match_status: 'matched',
  counterparty_name: 'Bäckerei Sonnenschein GmbH',
  counterparty_iban: 'DE02500105170137075030',
  reference: 'Rechnung 2026-0017',
  'Project.name': 'New shop',
  'CreateProjectInput.name': 'New shop',
  'User.name': 'Ada Lovelace',
  'Tenant.name': 'Kontor Studio',
  'ApiToken.name': 'Accounting import',
  'User.email': 'ada@kontor.example',
  timezone: 'Europe/Berlin',
  default_currency: 'EUR',
  abilities: ['*'],
  expires_at: null,
  first: link(1),
  last: link(1),
  prev: null,
  next: null,
  from: 1,
  to: 1,
};

/** What differs in an event's data from the resource as it is elsewhere. */
const moments: Record<string, object> = {
  InvoiceCreatedEvent: { number: null, status: 'draft', issued_at: null },
  InvoiceDeletedEvent: { number: null, status: 'draft', issued_at: null },
  InvoicePaidEvent: { status: 'paid', amount_paid: 904.4, amount_due: 0, paid_at: '2026-02-10T08:15:00+00:00' },
  InvoiceCancelledEvent: { status: 'cancelled', amount_due: 0, cancelled_at: '2026-02-01T10:00:00+00:00' },
  InvoiceOverdueEvent: { is_overdue: true },
  ReceiptBookedEvent: { status: 'booked' },
  ReceiptPaidEvent: { status: 'paid', paid_at: '2026-02-10T08:15:00+00:00' },
  BankTransactionCreatedEvent: { match_status: 'unmatched', amount_open: 904.4, matches: [] },
  BankTransactionUnmatchedEvent: { match_status: 'unmatched', amount_open: 904.4, matches: [] },
};

/** For what no name stands above: something of its type or format. */
const typical: Record<string, unknown> = {
  uuid: id,
  date: '2026-01-31',
  'date-time': '2026-01-31T09:30:00+00:00',
  email: 'ada@kontor.example',
  uri: 'https://kontor.example',
  string: 'text',
  integer: 1,
  number: 1,
  boolean: false,
};

/** An example of what a schema describes, put together from `values`. */
export function exampleOf(schema: JsonSchema, components: Components, owner = '', name = ''): unknown {
  const { $ref, anyOf, properties, items, const: only, enum: choices, type, format } = schema;
  if (typeof $ref === 'string') {
    const referred = $ref.slice($ref.lastIndexOf('/') + 1);
    const component = components.get(referred);
    if (!component) throw new Error(`There is no component ${referred}`);
    return exampleOf(component, components, isComposite(component) ? referred : owner, name);
  }
  if (only !== undefined) return only;
  for (const known of [`${owner}.${name}`, name]) if (known in values) return values[known];
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0] as JsonSchema, components, owner, name);
  if (properties) {
    const written = Object.entries(properties as Record<string, JsonSchema>).filter(([, each]) => !each['readOnly']);
    return Object.fromEntries(written.map(([key, each]) => [key, exampleOf(each, components, owner, key)]));
  }
  if (items) return [exampleOf(items as JsonSchema, components, owner)];
  if (Array.isArray(choices)) return choices[0];
  return typical[String(format)] ?? typical[String([type].flat()[0])];
}

const isComposite = (schema: JsonSchema): boolean => 'properties' in schema;

/** An example of an event's body. */
export function eventExample(name: string, components: Components): unknown {
  const body = exampleOf({ $ref: `#/components/schemas/${name}` }, components) as { data: Record<string, object> };
  const data = Object.entries(body.data).map(([key, value]) => [
    key,
    moments[name] ? { ...value, ...moments[name] } : value,
  ]);
  return { ...body, data: Object.fromEntries(data) as object };
}
