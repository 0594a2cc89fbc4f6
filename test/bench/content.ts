/**
 * The content of a response, whatever it is spelled like: names in snake_case, decimals as numbers, times in UTC, enums in
 * lower case, a connection as its nodes. What each creation makes anew is left out on request. So is what only Kontor
 * answers: the others do less work.
 */
export function readContent(value: unknown, anew = false): unknown {
  if (Array.isArray(value)) return value.map((each) => readContent(each, anew));
  if (typeof value === 'string') return contentOfText(value);
  if (typeof value !== 'object' || value === null) return value;
  if ('nodes' in value) return readContent(value.nodes, anew);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !(anew && madeAnew.has(name)) && !onlyOurs.has(name))
      .map(([name, part]) => [snake(name), name === 'status' ? String(part).toLowerCase() : readContent(part, anew)]),
  );
}

const madeAnew = new Set(['id', 'created_at', 'updated_at']);

/** Fields that were added to the contract's, which is all that the other contenders do. */
const onlyOurs = new Set([
  'amount_adjusted',
  'amount_credited',
  'amount_refunded',
  'external_id',
  'metadata',
  'delivery_date',
  'exchange_rate',
  'exchange_rate_date',
  'exchange_rate_source',
  'exchange_currency',
  'description',
  'discount_percent',
  'exemption_reason',
  'service_period_start',
  'service_period_end',
  'unit_code',
  'vat_category',
  'contact_name',
  'phone',
  'buyer_reference',
  'electronic_address',
  'electronic_address_scheme',
  'language',
  'payment_terms_days',
  'required_e_invoice',
]);

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function contentOfText(text: string): string | number {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return `${new Date(text).toISOString().slice(0, 19)}Z`;
  return text;
}
