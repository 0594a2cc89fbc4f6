import { createHash } from 'node:crypto';
import { pino } from 'pino';

// Parts that all contenders share.

export const databaseUrl = process.env['DATABASE_URL'] ?? '';
export const port = Number(process.env['PORT']);
/** As large as Kontor's. */
export const poolSize = 20;

export const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime });

/** One line per request, as Kontor's. */
export function logRequest(method: string | undefined, url: string | undefined, status: number, ms: number): void {
  log.info({ method, path: url?.split('?', 1)[0], status, ms: Math.round(ms * 10) / 10 }, 'request');
}

/** The hash by which the database knows a token. */
export const hashToken = (authorization: string | undefined): Buffer =>
  createHash('sha256')
    .update(authorization?.replace(/^Bearer /, '') ?? '')
    .digest();

/** Who calls, as far as a contender asks. */
export interface Caller {
  tenantId: string;
}

export interface Item {
  title: string;
  quantity: number;
  unit: string | null;
  unit_price_net: number;
  vat_rate: number;
}

export interface NewInvoice {
  customer_id: string;
  invoice_date: string;
  due_date: string;
  subject: string | null;
  items: Item[];
}

export interface StoredItem extends Item {
  id: string;
  position: number;
  line_total_net: number;
}

/** The unit's code of a line that says none. */
export const unitCode = (unit: string | null): string => unitCodes[unit ?? ''] ?? 'C62';
const unitCodes: Record<string, string> = { h: 'HUR', pcs: 'H87' };

/** The category of VAT of a line that says none. */
export const vatCategory = (rate: number): string => (rate === 0 ? 'Z' : 'S');

/** The other fields of a new line. */
export const otherItemFields = {
  description: null,
  exemption_reason: null,
  discount_percent: 0,
  service_period_start: null,
  service_period_end: null,
};

/** The other fields of a new invoice. */
export const otherInvoiceFields = {
  delivery_date: null,
  amount_credited: 0,
  amount_refunded: 0,
  amount_adjusted: 0,
  exchange_rate: null,
  exchange_rate_date: null,
  exchange_rate_source: null,
  exchange_currency: null,
  external_id: null,
  metadata: {},
};

/** Cents: exact for any amount of money that anybody has, and far cheaper than decimals. */
const cents = (amount: number): number => Math.round(amount * 100);

/** VAT per rate, rates ascending. */
export function vatBreakdown(items: { vat_rate: number; line_total_net: number }[]) {
  const nets = new Map<number, number>();
  for (const { vat_rate: rate, line_total_net: net } of items) nets.set(rate, (nets.get(rate) ?? 0) + cents(net));
  return [...nets]
    .toSorted(([a], [b]) => a - b)
    .map(([rate, net]) => ({ vat_rate: rate, net: net / 100, vat: Math.round((net * rate) / 100) / 100 }));
}

/** The values that follow from a new invoice's items. */
export function computeTotals(items: Item[]) {
  const lines = items.map((item, index) => ({
    ...item,
    position: index + 1,
    line_total_net: Math.round(cents(item.quantity) * item.unit_price_net) / 100,
  }));
  const breakdown = vatBreakdown(lines);
  const sum = (of: 'net' | 'vat'): number => breakdown.reduce((all, share) => all + cents(share[of]), 0);
  const [net, vat] = [sum('net'), sum('vat')];
  return { lines, breakdown, net: net / 100, vat: vat / 100, gross: (net + vat) / 100 };
}

export const eventBody = (
  tenantId: string,
  createdAt: string,
  resource: 'customer' | 'invoice',
  data: object,
): string =>
  JSON.stringify({
    event: `${resource}.created`,
    tenant_id: tenantId,
    created_at: createdAt,
    data: { [resource]: data },
  });

/** `2026-01-31T09:30:00+00:00` */
export const formatTime = (time: Date): string => `${time.toISOString().slice(0, 19)}+00:00`;

/** The values that follow from the rest of an invoice. */
export const due = (status: string, gross: number, paid: number): number =>
  status === 'cancelled' ? 0 : (cents(gross) - cents(paid)) / 100;

export const today = (): string => new Date().toISOString().slice(0, 10);

/** UUIDv7. */
export function newId(): string {
  const hex = Date.now().toString(16).padStart(12, '0') + crypto.randomUUID().replaceAll('-', '').slice(12);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
