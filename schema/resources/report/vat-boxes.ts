import type { ReceiptVatCategory } from '../../money/vat-categories.ts';

/** Whose VAT it is. */
export type VatKind = 'OUTPUT' | 'REVERSE_CHARGE' | 'ACQUISITION' | 'INPUT' | 'IMPORT';

/** Where an amount of a VAT report stands in a country's VAT return. */
interface VatBox {
  country: string;
  /** The first day of which the return has it so. */
  from: string;
  kind: VatKind;
  category: ReceiptVatCategory;
  /** Absent: all rates that have no box of their own. */
  rate?: string;
  /** The numbers of the boxes for the net amount and for the VAT; absent where the return has none. */
  net?: string;
  vat?: string;
}

/**
 * The boxes of Germany's Umsatzsteuer-Voranmeldung (USt 1 A) and of Austria's U 30. What depends on more than category and
 * rate has none: exempt supplies, and reverse charge. In Germany, services from other member states (§ 13b (1) UStG: 46, 47)
 * have other boxes than the rest (§ 13b (2): 84, 85); so has construction in Austria (§ 19 (1a): 048, 082; else 057, 066).
 */
const boxes: readonly VatBox[] = [
  { country: 'DE', from: '2021-01-01', kind: 'OUTPUT', category: 'S', rate: '19', net: '81' },
  { country: 'DE', from: '2021-01-01', kind: 'OUTPUT', category: 'S', rate: '7', net: '86' },
  { country: 'DE', from: '2007-01-01', kind: 'OUTPUT', category: 'S', net: '35', vat: '36' },
  { country: 'DE', from: '2007-01-01', kind: 'OUTPUT', category: 'K', net: '41' },
  { country: 'DE', from: '2007-01-01', kind: 'OUTPUT', category: 'G', net: '43' },
  { country: 'DE', from: '2007-01-01', kind: 'OUTPUT', category: 'O', net: '45' },
  { country: 'DE', from: '2007-01-01', kind: 'INPUT', category: 'S', vat: '66' },
  { country: 'DE', from: '2021-01-01', kind: 'ACQUISITION', category: 'K', rate: '19', net: '89' },
  { country: 'DE', from: '2021-01-01', kind: 'ACQUISITION', category: 'K', rate: '7', net: '93' },
  { country: 'DE', from: '2007-01-01', kind: 'ACQUISITION', category: 'K', rate: '0', net: '91' },
  { country: 'DE', from: '2007-01-01', kind: 'ACQUISITION', category: 'K', net: '95', vat: '98' },
  { country: 'DE', from: '2007-01-01', kind: 'INPUT', category: 'K', vat: '61' },
  { country: 'DE', from: '2007-01-01', kind: 'INPUT', category: 'AE', vat: '67' },
  { country: 'DE', from: '2007-01-01', kind: 'IMPORT', category: 'IMPORT', vat: '62' },
  { country: 'AT', from: '2016-01-01', kind: 'OUTPUT', category: 'S', rate: '20', net: '022' },
  { country: 'AT', from: '2016-01-01', kind: 'OUTPUT', category: 'S', rate: '10', net: '029' },
  { country: 'AT', from: '2016-01-01', kind: 'OUTPUT', category: 'S', rate: '13', net: '006' },
  { country: 'AT', from: '2016-01-01', kind: 'OUTPUT', category: 'K', net: '017' },
  { country: 'AT', from: '2016-01-01', kind: 'OUTPUT', category: 'G', net: '011' },
  { country: 'AT', from: '2016-01-01', kind: 'INPUT', category: 'S', vat: '060' },
  { country: 'AT', from: '2016-01-01', kind: 'ACQUISITION', category: 'K', rate: '20', net: '072' },
  { country: 'AT', from: '2016-01-01', kind: 'ACQUISITION', category: 'K', rate: '10', net: '073' },
  { country: 'AT', from: '2016-01-01', kind: 'ACQUISITION', category: 'K', rate: '13', net: '008' },
  { country: 'AT', from: '2016-01-01', kind: 'ACQUISITION', category: 'K', rate: '0', net: '071' },
  { country: 'AT', from: '2016-01-01', kind: 'INPUT', category: 'K', vat: '065' },
  { country: 'AT', from: '2016-01-01', kind: 'IMPORT', category: 'IMPORT', vat: '061' },
];

/** @param day the last day of the report, `YYYY-MM-DD` */
export function findVatBox(
  country: string,
  day: string,
  { kind, category, rate }: Required<Pick<VatBox, 'kind' | 'rate'>> & { category: string },
): Pick<VatBox, 'net' | 'vat'> | undefined {
  const valid = boxes.filter(
    (box) => box.country === country && box.kind === kind && box.category === category && box.from <= day,
  );
  const latest = (all: VatBox[]): VatBox | undefined => all.toSorted((a, b) => a.from.localeCompare(b.from)).at(-1);
  return latest(valid.filter((box) => box.rate === rate)) ?? latest(valid.filter((box) => box.rate === undefined));
}
