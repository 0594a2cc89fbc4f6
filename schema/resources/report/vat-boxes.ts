import type { VatCategory } from '../../money/vat-categories.ts';

/** Where an amount of a VAT report stands in a country's VAT return. */
interface VatBox {
  country: string;
  /** The first day of which the return has it so. */
  from: string;
  kind: 'OUTPUT' | 'INPUT';
  category: VatCategory;
  /** Absent: all rates that have no box of their own. */
  rate?: string;
  /** The numbers of the boxes for the net amount and for the VAT; absent where the return has none. */
  net?: string;
  vat?: string;
}

/**
 * The boxes of Germany's Umsatzsteuer-Voranmeldung (USt 1 A) and of Austria's U 30. What depends on more than category and
 * rate has none: reverse charge, exempt supplies, and acquisitions.
 */
const boxes: readonly VatBox[] = [
  { country: 'DE', from: '2021-01-01', kind: 'OUTPUT', category: 'S', rate: '19', net: '81' },
  { country: 'DE', from: '2021-01-01', kind: 'OUTPUT', category: 'S', rate: '7', net: '86' },
  { country: 'DE', from: '2007-01-01', kind: 'OUTPUT', category: 'S', net: '35', vat: '36' },
  { country: 'DE', from: '2007-01-01', kind: 'OUTPUT', category: 'K', net: '41' },
  { country: 'DE', from: '2007-01-01', kind: 'OUTPUT', category: 'G', net: '43' },
  { country: 'DE', from: '2007-01-01', kind: 'OUTPUT', category: 'O', net: '45' },
  { country: 'DE', from: '2007-01-01', kind: 'INPUT', category: 'S', vat: '66' },
  { country: 'AT', from: '2016-01-01', kind: 'OUTPUT', category: 'S', rate: '20', net: '022' },
  { country: 'AT', from: '2016-01-01', kind: 'OUTPUT', category: 'S', rate: '10', net: '029' },
  { country: 'AT', from: '2016-01-01', kind: 'OUTPUT', category: 'S', rate: '13', net: '006' },
  { country: 'AT', from: '2016-01-01', kind: 'OUTPUT', category: 'K', net: '017' },
  { country: 'AT', from: '2016-01-01', kind: 'OUTPUT', category: 'G', net: '011' },
  { country: 'AT', from: '2016-01-01', kind: 'INPUT', category: 'S', vat: '060' },
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
