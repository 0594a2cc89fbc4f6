import fc from 'fast-check';
import { anyCharacter } from '../characters.ts';
import { Decimal } from '../../schema/money/decimal.ts';
import type {
  Buyer,
  Line,
  NumberedEInvoice,
  Seller,
  VatBreakdown,
  VatCategory,
} from '../../schema/documents/e-invoice/model.ts';

// Invoices of the semantic model: one typical one, and generated ones.

const decimal = (text: string): Decimal => new Decimal(text);
const addUp = (amounts: Decimal[]): Decimal => amounts.reduce((sum, amount) => sum.plus(amount), decimal('0'));

/** Minor digits by currency, of some with zero and two. Those of three have no e-invoice. */
const minorDigits: Record<string, number> = { EUR: 2, USD: 2, GBP: 2, CHF: 2, PLN: 2, SEK: 2, JPY: 0, ISK: 0, KRW: 0 };

export const reasons: Record<VatCategory, string | undefined> = {
  S: undefined,
  Z: undefined,
  E: 'Steuerfrei nach § 19 UStG (Kleinunternehmer)',
  AE: 'Steuerschuldnerschaft des Leistungsempfängers',
  K: 'Steuerfreie innergemeinschaftliche Lieferung',
  G: 'Steuerfreie Ausfuhrlieferung',
  O: 'Nicht steuerbar',
};

/** The values of a line that are chosen. The rest is computed. */
export interface LineInput {
  name: string;
  description?: string | undefined;
  quantity: string;
  unitCode: string;
  unitPrice: string;
  percent?: string | undefined;
  category: VatCategory;
  rate: string;
  period?: { start: string; end: string } | undefined;
}

const toLine = (input: LineInput, index: number, digits: number): Line => {
  const [quantity, unitPrice, percent] = [input.quantity, input.unitPrice, input.percent ?? '0'].map(decimal);
  if (!quantity || !unitPrice || !percent) throw new Error('A line has three numbers');
  const full = quantity.times(unitPrice);
  const base = full.toDecimalPlaces(digits);
  const net = full.times(decimal('100').minus(percent)).dividedBy(100).toDecimalPlaces(digits);
  return {
    id: String(index + 1),
    name: input.name,
    description: input.description,
    quantity,
    unitCode: input.unitCode,
    unit: undefined,
    unitPrice,
    net,
    discount: percent.isZero() ? undefined : { base, percent, amount: base.minus(net) },
    period: input.period,
    vatCategory: input.category,
    vatRate: decimal(input.rate),
  };
};

function buildBreakdown(lines: Line[], digits: number): VatBreakdown[] {
  const parts = Map.groupBy(lines, ({ vatCategory, vatRate }) => `${vatRate.toFixed(2)} ${vatCategory}`);
  return [...parts.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const net = addUp(group.map((line) => line.net));
    return {
      category: first.vatCategory,
      rate: first.vatRate,
      net,
      vat: net.times(first.vatRate).dividedBy(100).toDecimalPlaces(digits),
      exemptionReason: reasons[first.vatCategory],
    };
  });
}

/** The invoice with these lines: amounts, VAT, period, and totals are computed from them. */
export function withLines(
  invoice: NumberedEInvoice,
  inputs: LineInput[],
  { currency = invoice.currency, paid = '0' } = {},
): NumberedEInvoice {
  const digits = minorDigits[currency] ?? 2;
  const lines = inputs.map((input, index) => toLine(input, index, digits));
  const vatBreakdown = buildBreakdown(lines, digits);
  const net = addUp(lines.map((line) => line.net));
  const vat = addUp(vatBreakdown.map((part) => part.vat));
  const gross = net.plus(vat);
  const paidAmount = decimal(paid);
  const periods = lines.flatMap(({ period }) => (period ? [period] : []));
  const [start] = periods.map((period) => period.start).toSorted();
  const end = periods
    .map((period) => period.end)
    .toSorted()
    .at(-1);
  const isIntraCommunity = lines.some(({ vatCategory }) => vatCategory === 'K');
  const { address } = invoice.buyer;
  return {
    ...invoice,
    currency,
    lines,
    vatBreakdown,
    totals: { net, vat, gross, paid: paidAmount, due: gross.minus(paidAmount) },
    delivery: {
      date: invoice.delivery.date,
      period: start !== undefined && end !== undefined ? { start, end } : undefined,
      city: isIntraCommunity ? address.city : undefined,
      postalCode: isIntraCommunity ? address.postalCode : undefined,
      country: isIntraCommunity ? address.country : undefined,
    },
  };
}

export const seller: Seller = {
  name: 'Blumenkraft GmbH & Co. KG',
  vatId: 'DE123456788',
  taxNumber: '37/123/45678',
  registrationNumber: undefined,
  registerEntry: 'HRB 12345, Amtsgericht Berlin',
  electronicAddress: undefined,
  address: { line1: 'Lindenallee 5', line2: 'Hinterhaus', city: 'Berlin', postalCode: '10115', country: 'DE' },
  contact: { name: 'Jana Weiß', phone: '+49 30 1234567', email: 'rechnung@blumenkraft.example' },
};

export const buyer: Buyer = {
  name: 'Stadtwerke <Nord> AG',
  vatId: 'DE987654321',
  electronicAddress: { value: '991-12345-67', scheme: '0204' },
  address: { line1: 'Am Hafen 1', line2: undefined, city: 'Kiel', postalCode: '24103', country: 'DE' },
  contact: { name: undefined, phone: undefined, email: 'einkauf@stadtwerke.example' },
};

export const oneLine: LineInput = {
  name: 'Web design',
  description: 'Start page',
  quantity: '8',
  unitCode: 'HUR',
  unitPrice: '95',
  category: 'S',
  rate: '19',
};

const blank: NumberedEInvoice = {
  number: '2026-0017',
  issueDate: '2026-01-31',
  typeCode: '380',
  currency: 'EUR',
  accounting: undefined,
  dueDate: '2026-02-14',
  buyerReference: '04011000-12345-03',
  paymentTerms: 'Zahlbar bis 14.02.2026',
  notes: ['Website, Januar'],
  precedingInvoice: undefined,
  seller,
  buyer,
  delivery: { date: undefined, period: undefined, city: undefined, postalCode: undefined, country: undefined },
  payment: {
    reference: '2026-0017',
    iban: 'DE02120300000000202051',
    accountName: 'Blumenkraft GmbH & Co. KG',
    bic: 'BYLADEM1001',
  },
  totals: { net: decimal('0'), vat: decimal('0'), gross: decimal('0'), paid: decimal('0'), due: decimal('0') },
  vatBreakdown: [],
  lines: [],
};

/** A typical invoice. No format refuses it. */
export const typical: NumberedEInvoice = withLines(blank, [oneLine]);

/** A supply to another member state. No format refuses it. */
export const intraCommunity: NumberedEInvoice = withLines(
  {
    ...blank,
    buyer: {
      ...buyer,
      vatId: 'ATU12345675',
      electronicAddress: { value: 'ATU12345675', scheme: '9914' },
      address: { line1: 'Ring 1', line2: undefined, city: 'Wien', postalCode: '1010', country: 'AT' },
    },
  },
  [{ ...oneLine, category: 'K', rate: '0', period: { start: '2026-01-01', end: '2026-01-31' } }],
);

const languages = [
  'Rechnung über Grünpflege, 50 % – „eilig“',
  "L'été, c'est l'heure & <b>l'œuvre</b>",
  'فاتورة رقم ١٢ للعميل',
  'חשבונית מס\u200F 12',
  '請求書 第十二号',
  '😀 Emoji 👩‍👩‍👧 und 🇩🇪',
  'a\u0000b\u0008c\u000Bd\u001Fe\uFFFEf\uFFFFg',
  ']]> & &amp; "quoted" \'single\'',
  'Zeile 1\nZeile 2\r\nZeile 3\rZeile 4\tTab',
  '#1 of #XYZ# and #AAI#',
  'Ω ≈ ∑ 𝔘𝔫𝔦𝔠𝔬𝔡𝔢',
];

/** Texts of all kinds, of at most `max` code points, never blank. */
const text = (max: number): fc.Arbitrary<string> =>
  fc
    .oneof(
      { weight: 4, arbitrary: fc.constantFrom(...languages) },
      { weight: 2, arbitrary: fc.string({ minLength: 1, maxLength: max }) },
      { weight: 2, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: max }) },
      { weight: 1, arbitrary: fc.string({ unit: anyCharacter, minLength: 1, maxLength: max }) },
      { weight: 1, arbitrary: fc.constant('W'.repeat(max)) },
    )
    .map((value) => [...value].slice(0, max).join('').toWellFormed().trim())
    .map((value) => (/[\p{L}\p{N}]/u.test(value) ? value : `x${value}`));

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });

const day = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2029-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

const period = fc.tuple(day, day).map(([one, other]) => {
  const [start, end] = [one, other].toSorted();
  return { start: start ?? one, end: end ?? other };
});

const decimals = (min: number, max: number, scale: number): fc.Arbitrary<string> =>
  fc.integer({ min, max }).map((units) =>
    decimal(String(units))
      .dividedBy(10 ** scale)
      .toFixed(),
  );

const quantity = fc
  .oneof(decimals(-50_000, 1_000_000, 4), decimals(1, 400, 0), decimals(-300, 1000, 2))
  .map((value) => (decimal(value).isZero() ? '1' : value));
const price = fc.oneof(decimals(0, 1_000_000, 4), decimals(0, 100_000, 2), decimals(0, 500, 0));
const percent = optional(fc.oneof(decimals(1, 10_000, 2), fc.constantFrom('5', '10', '33.33', '100')));

/** Which categories an invoice has. Those outside of VAT stand alone (BR-O-12). */
const categories = fc.oneof(
  { weight: 4, arbitrary: fc.constant<VatCategory[]>(['S']) },
  { weight: 4, arbitrary: fc.subarray<VatCategory>(['S', 'Z', 'E', 'AE', 'K', 'G'], { minLength: 1 }) },
  { weight: 1, arbitrary: fc.constant<VatCategory[]>(['O']) },
);

const line = (among: VatCategory[]): fc.Arbitrary<LineInput> =>
  fc
    .record({
      name: text(255),
      description: optional(text(500)),
      quantity,
      unitCode: fc.constantFrom('HUR', 'C62', 'H87', 'DAY', 'KMT', 'MON', 'XPK', 'E48', 'LTR'),
      unitPrice: price,
      percent,
      category: fc.constantFrom(...among),
      rate: fc.constantFrom('19', '7', '5.5', '20', '8.1', '0.01', '100'),
      period: optional(period),
    })
    .map((input) => ({ ...input, rate: input.category === 'S' ? input.rate : '0' }));

const address = fc.record({
  line1: optional(text(255)),
  line2: optional(text(255)),
  city: optional(text(255)),
  postalCode: optional(fc.constantFrom('10115', 'SW1A 1AA', '1010')),
  country: fc.constantFrom('DE', 'AT', 'FR', 'BE', 'CH', 'US', 'PL'),
});

const contact = fc.record({
  name: optional(text(255)),
  phone: optional(fc.constantFrom('+49 30 1234567', '030/12')),
  email: optional(fc.constantFrom('a@b.example', 'über@exämple.de', 'office+x@y.example')),
});

const party = {
  name: text(255),
  vatId: optional(fc.constantFrom('DE123456788', 'ATU12345675', 'FR12123456789', 'BE0123456749', 'CHE123456788')),
  electronicAddress: optional(
    fc.constantFrom(
      { value: '4012345000009', scheme: '0088' },
      { value: '04011000-12345-03', scheme: '0204' },
      { value: 'someone@example.org', scheme: 'EM' },
      { value: 'DE123456788', scheme: '9930' },
    ),
  ),
  address,
  contact,
};

const header = fc.record({
  number: fc.oneof(fc.constantFrom('2026-0001', 'RE/2026/12', 'Nº 7'), text(32)),
  issueDate: day,
  typeCode: fc.constantFrom('380' as const, '381' as const),
  dueDate: optional(day),
  buyerReference: optional(text(255)),
  paymentTerms: optional(fc.constantFrom('Zahlbar sofort', 'Net 30\nThank you', 'الدفع خلال ٣٠ يوما')),
  notes: fc.array(text(500), { maxLength: 3 }),
  precedingInvoice: optional(fc.record({ number: text(32), issueDate: day })),
  seller: fc.record({
    ...party,
    taxNumber: optional(fc.constantFrom('37/123/45678', '12345')),
    registrationNumber: optional(
      fc.constantFrom({ value: '12345678', scheme: '0106' }, { value: 'HRB 1', scheme: '0060' }),
    ),
    registerEntry: optional(text(255)),
  }),
  buyer: fc.record(party),
  deliveryDate: optional(day),
  payment: optional(
    fc.record({
      reference: optional(text(100)),
      iban: fc.constantFrom('DE02120300000000202051', 'GB29NWBK60161331926819'),
      accountName: text(70),
      bic: optional(fc.constantFrom('BYLADEM1001', 'NWBKGB2L')),
    }),
  ),
});

const accounting = fc.record({
  currency: fc.constantFrom('EUR', 'CHF', 'JPY', 'TND'),
  vat: fc.integer({ min: -1e6, max: 1e12 }).map((amount) => decimal(String(amount))),
  rate: fc.constant(decimal('0.9234')),
  day,
  source: fc.constant(undefined),
});

/** Generated invoices: sums are right, and all else may be missing. Formats refuse many of them. */
export const invoices: fc.Arbitrary<NumberedEInvoice> = fc
  .tuple(
    header,
    categories.chain((among) =>
      fc.oneof(
        { weight: 20, arbitrary: fc.array(line(among), { minLength: 1, maxLength: 6 }) },
        { weight: 1, arbitrary: fc.array(line(among), { minLength: 60, maxLength: 60 }) },
      ),
    ),
    fc.constantFrom(...Object.keys(minorDigits)),
    fc.constantFrom('0', '0', '10', '100'),
    optional(accounting),
  )
  .map(([{ deliveryDate, ...fields }, lines, currency, paid, home]) => ({
    ...withLines({ ...blank, ...fields, delivery: { ...blank.delivery, date: deliveryDate } }, lines, {
      currency,
      paid,
    }),
    accounting: home && home.currency !== currency ? home : undefined,
  }));
