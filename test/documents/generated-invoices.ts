import fc from 'fast-check';
import { buyer, type LineInput, storableLogo, nameOnly, seller } from './invoices.ts';

const scripts = [
  'abcäöüßABC ',
  'אבגד הוז ',
  'العربية ابجد ',
  'ЖИВАГО ',
  '漢字かな',
  '😀🇩🇪👍🏽',
  '0123456789.,',
  '-–()[]/&<>"',
];
const text = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: fc.constantFrom(...scripts.flatMap((script) => [...script])), maxLength }),
    fc.constantFrom('W'.repeat(maxLength), 'i'.repeat(maxLength), 'Wort '.repeat(maxLength / 5), 'א'.repeat(maxLength)),
    fc.string({ unit: 'grapheme', maxLength: 30 }),
  );
const decimal = fc
  .tuple(fc.integer({ min: -999_999, max: 999_999 }), fc.constantFrom(0, 1, 2, 3, 9))
  .map(([digits, exponent]) => `${digits}${'0'.repeat(exponent)}`);
/** A line of any category, with texts of many scripts and lengths. */
export const anyLine: fc.Arbitrary<LineInput> = fc.record({
  name: text(200).map((given) => given || 'x'),
  description: fc.option(text(2000), { nil: undefined }),
  quantity: decimal,
  unit: fc.option(text(20), { nil: undefined }),
  unitPrice: decimal,
  discount: fc.option(fc.constantFrom('5', '33.333', '100'), { nil: undefined }),
  vatCategory: fc.constantFrom('S', 'Z', 'E', 'AE', 'K', 'G', 'O'),
  vatRate: fc.constantFrom('19', '7', '0'),
  reason: fc.option(text(200), { nil: undefined }),
});
const name = text(200).map((given) => given || 'x');
const address = fc.record({
  line1: text(200),
  line2: text(100),
  city: text(100),
  postalCode: text(20),
  country: fc.constantFrom('DE', 'FR', undefined),
});
const party = fc.oneof(
  fc.constant(buyer),
  name.map(nameOnly),
  fc.tuple(name, address).map(([given, place]) => ({ ...nameOnly(given), address: place })),
);
/** The other variants of an invoice and its look. */
export const anyContext = fc.record({
  language: fc.constantFrom('de', 'en'),
  accentColor: fc.constantFrom('#000000', '#ffffff', '#ffd400'),
  logo: fc.constantFrom(undefined, await storableLogo()),
  subject: fc.option(text(200), { nil: undefined }),
  footer: fc.option(text(2000), { nil: undefined }),
  changes: fc.record({
    number: fc.constantFrom('2026-0042', undefined, 'R'.repeat(60)),
    typeCode: fc.constantFrom('380', '381'),
    currency: fc.constantFrom('EUR', 'JPY', 'TND', 'CHF'),
    seller: fc.oneof(fc.constant(seller), name.map(nameOnly)),
    buyer: party,
    paymentTerms: fc.option(text(500), { nil: undefined }),
    buyerReference: fc.option(text(100), { nil: undefined }),
  }),
} as const);
