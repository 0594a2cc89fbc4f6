// The books of a benchmark's tenants. Every row follows from the seed and its place alone, so that each table can be
// written by itself and all fit together.

const seed = 20_261_121;
const start = Date.UTC(2024, 0, 1);
const span = Date.UTC(2026, 6, 1) - start;

type Cells = Record<string, string | number | null>;

/**
 * The rows of each table at a place, from 0, of a tenant with `size` places. At each is a customer and an invoice, and
 * what goes with the invoice.
 */
export const tables: Record<string, (at: number, size: number) => Cells[]> = {
  customers: (at, size) => [customerAt(at, size)],

  invoices(at, size) {
    const { id, buyer, status, day, items, net, vat, time } = invoiceAt(at, size);
    return [
      {
        id,
        customer_id: buildId('customer', buyer, size),
        status,
        number: status === 'draft' ? null : `${day.slice(0, 4)}-${String(at + 1).padStart(4, '0')}`,
        invoice_date: day,
        due_date: new Date(Date.parse(day) + 14 * 86_400_000).toISOString().slice(0, 10),
        subject: `Order ${at}, ${items[0]?.title}`,
        currency: 'EUR',
        total_net: money(net),
        total_vat: money(vat),
        total_gross: money(net + vat),
        amount_paid: money(status === 'paid' ? net + vat : 0),
        issued_at: status === 'draft' ? null : time,
        paid_at: status === 'paid' ? time : null,
        cancelled_at: status === 'cancelled' ? time : null,
        created_at: time,
        updated_at: time,
      },
    ];
  },

  invoice_items(at, size) {
    const { id, items } = invoiceAt(at, size);
    return items.map(({ title, quantity, cents, rate }, index) => ({
      id: buildId('item', at * 4 + index, size * 4),
      invoice_id: id,
      position: index + 1,
      title,
      quantity,
      unit: 'h',
      unit_price_net: money(cents),
      vat_rate: rate,
      line_total_net: money(quantity * cents),
    }));
  },

  bank_transactions(at, size) {
    const { status, day, net, vat, time } = invoiceAt(at, size);
    const paid = status === 'paid';
    if (!paid && at % 10 > 0) return [];
    return [
      {
        id: buildId('transaction', at, size),
        account_iban: 'DE02120300000000202051',
        booking_date: day,
        amount: money(net + vat),
        currency: 'EUR',
        counterparty_name: companyNameAt(at),
        reference: `Invoice ${at + 1}`,
        match_status: paid ? 'matched' : 'unmatched',
        amount_open: money(paid ? 0 : net + vat),
        created_at: time,
        updated_at: time,
      },
    ];
  },

  payments(at, size) {
    const { id, status, day, net, vat, time } = invoiceAt(at, size);
    if (status !== 'paid') return [];
    return [
      {
        id: buildId('payment', at, size),
        invoice_id: id,
        bank_transaction_id: buildId('transaction', at, size),
        amount: money(net + vat),
        currency: 'EUR',
        paid_on: day,
        created_at: time,
      },
    ];
  },
};

const words = ['Nord', 'Süd', 'Hafen', 'Berg', 'Wald', 'See', 'Stern', 'Licht', 'Feld', 'Stein', 'Rosen', 'Linden'];
const trades = ['Bäckerei', 'Druckerei', 'Gärtnerei', 'Optik', 'Reisen', 'Technik', 'Verlag', 'Werkstatt'];
const cities = ['Kiel', 'Lübeck', 'Bremen', 'Utrecht', 'Gent', 'Graz', 'Basel', 'Aarhus'];
const titles = ['Layout', 'Consulting', 'Photography', 'Maintenance', 'Translation', 'Workshop'];

function companyNameAt(at: number): string {
  const random = seedRandom('name', at);
  return `${pick(trades, random)} ${pick(words, random)}${pick(words, random).toLowerCase()} ${at}`;
}

function customerAt(at: number, size: number): Cells {
  const random = seedRandom('customer', at);
  const time = timeAt(at, size);
  return {
    id: buildId('customer', at, size),
    type: random() < 0.8 ? 'customer' : 'supplier',
    company_name: companyNameAt(at),
    email: random() < 0.9 ? `buero${at}@firma.example` : null,
    address_line1: `Hauptstraße ${at % 200}`,
    postal_code: String(10_000 + (at % 90_000)),
    city: pick(cities, random),
    country: 'DE',
    vat_id: `DE${100_000_000 + at}`,
    created_at: time,
    updated_at: time,
  };
}

interface Item {
  title: string;
  quantity: number;
  cents: number;
  rate: number;
}

function invoiceAt(at: number, size: number) {
  const random = seedRandom('invoice', at);
  const items: Item[] = Array.from({ length: 2 + Math.floor(random() * 3) }, () => ({
    title: pick(titles, random),
    quantity: 1 + Math.floor(random() * 12),
    cents: 1000 + Math.floor(random() * 9000),
    rate: random() < 0.7 ? 19 : 7,
  }));
  const net = items.reduce((sum, { quantity, cents }) => sum + quantity * cents, 0);
  const vat = [19, 7].reduce((sum, rate) => {
    const base = items.reduce((all, item) => all + (item.rate === rate ? item.quantity * item.cents : 0), 0);
    return sum + Math.round((base * rate) / 100);
  }, 0);
  const chance = random();
  const status = chance < 0.05 ? 'draft' : chance < 0.25 ? 'issued' : chance < 0.95 ? 'paid' : 'cancelled';
  const time = timeAt(at, size);
  // One customer in a hundred, the newest, has half of the invoices.
  const few = Math.max(1, Math.floor(size / 100));
  const buyer = size - 1 - Math.floor(random() * (random() < 0.5 ? few : size));
  return { id: buildId('invoice', at, size), buyer, status, items, net, vat, time, day: time.slice(0, 10) };
}

const timeAt = (at: number, of: number): string => new Date(start + Math.floor((span * at) / of)).toISOString();

/** UUIDv7, so that ids are in the order of time. */
function buildId(kind: string, at: number, of: number): string {
  const random = seedRandom(kind, at);
  const hex = (digits: number): string =>
    Math.floor(random() * 16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  const ms = Math.floor(start + (span * at) / of)
    .toString(16)
    .padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7${hex(3)}-${'89ab'[Math.floor(random() * 4)]}${hex(3)}-${hex(6)}${hex(6)}`;
}

/** Mulberry32, begun anew for every row. */
function seedRandom(kind: string, at: number): () => number {
  let state = seed ^ Math.imul(at + 1, 0x9e3779b1);
  for (const letter of kind) state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pick = <T>(from: readonly T[], random: () => number): T => from[Math.floor(random() * from.length)]!;
const money = (cents: number): string => (cents / 100).toFixed(2);
