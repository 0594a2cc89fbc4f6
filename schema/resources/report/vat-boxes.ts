import { germanRates } from '../../codes/german-rates.ts';
import { isMemberStateSql } from '../../codes/vat-territory.ts';
import type { ReceiptVatCategory } from '../../money/vat-categories.ts';

/** Whose VAT it is. */
export type VatKind = 'OUTPUT' | 'REVERSE_CHARGE' | 'ACQUISITION' | 'INPUT' | 'IMPORT';

/** Where a supplier was when the receipt was booked, seen from the tenant. */
export type SupplierPlace = 'DOMESTIC' | 'MEMBER_STATE' | 'THIRD_COUNTRY' | 'UNKNOWN';

/** Where an amount of a VAT report stands in a country's VAT return. */
interface VatBox {
  country: string;
  /** The first day of which the return has it so. */
  from: string;
  kind: VatKind;
  category: ReceiptVatCategory;
  /** Absent: all rates that have no box of their own. */
  rate?: string;
  /** The places of suppliers that it is for. Absent: all. */
  places?: readonly SupplierPlace[];
  /** The numbers of the boxes for the net amount and for the VAT; absent where the return has none. */
  net?: string;
  vat?: string;
}

const abroad: readonly SupplierPlace[] = ['MEMBER_STATE', 'THIRD_COUNTRY'];

/**
 * The box of Germany's rates that have none of their own at the time. A rate of another member state has none: it is declared there,
 * or in the one-stop shop.
 */
const otherGermanRates = [...germanRates].map((rate): VatBox => ({
  country: 'DE',
  from: '2007-01-01',
  kind: 'OUTPUT',
  category: 'S',
  rate,
  net: '35',
  vat: '36',
}));

/**
 * The box of input VAT, at the rates that the country itself has: VAT of another country can't be deducted there (§ 15 (1) 1 UStG;
 * § 12 (1) of Austria's UStG).
 * @param until the first day on which the rates are no longer its own
 */
const inputBoxes = (country: string, vat: string, rates: readonly string[], from: string, until?: string): VatBox[] =>
  rates.flatMap((rate) => {
    const box = { country, from, kind: 'INPUT', category: 'S', rate } as const;
    return [{ ...box, vat }, ...(until === undefined ? [] : [{ ...box, from: until }])];
  });

/** The rates of Germany's farmers (§ 24 (1) UStG), but for that of 2023 and 2024, which other member states still have. */
const germanFarmers = ['10.7', '9.5', '8.4', '7.8', '5.5'];

/**
 * The boxes of Germany's Umsatzsteuer-Voranmeldung (USt 1 A) and of Austria's U 30. Lines about which too little is known here
 * have none: exempt supplies, input VAT at other rates, and reverse charge of a supplier whose country isn't known. Reverse charge is
 * taken for the usual: from another member state for services in Germany (§ 13b (1) UStG), and within Austria for construction
 * (§ 19 (1a)).
 */
const boxes: readonly VatBox[] = [
  { country: 'DE', from: '2021-01-01', kind: 'OUTPUT', category: 'S', rate: '19', net: '81' },
  { country: 'DE', from: '2021-01-01', kind: 'OUTPUT', category: 'S', rate: '7', net: '86' },
  ...otherGermanRates,
  { country: 'DE', from: '2007-01-01', kind: 'OUTPUT', category: 'K', net: '41' },
  { country: 'DE', from: '2007-01-01', kind: 'OUTPUT', category: 'G', net: '43' },
  { country: 'DE', from: '2007-01-01', kind: 'OUTPUT', category: 'O', net: '45' },
  ...inputBoxes('DE', '66', [...germanRates, ...germanFarmers], '2007-01-01'),
  ...inputBoxes('DE', '66', ['9'], '2023-01-01', '2025-01-01'),
  { country: 'DE', from: '2021-01-01', kind: 'ACQUISITION', category: 'K', rate: '19', net: '89' },
  { country: 'DE', from: '2021-01-01', kind: 'ACQUISITION', category: 'K', rate: '7', net: '93' },
  { country: 'DE', from: '2007-01-01', kind: 'ACQUISITION', category: 'K', rate: '0', net: '91' },
  { country: 'DE', from: '2007-01-01', kind: 'ACQUISITION', category: 'K', net: '95', vat: '98' },
  { country: 'DE', from: '2007-01-01', kind: 'INPUT', category: 'K', vat: '61' },
  {
    country: 'DE',
    from: '2021-01-01',
    kind: 'REVERSE_CHARGE',
    category: 'AE',
    places: ['MEMBER_STATE'],
    net: '46',
    vat: '47',
  },
  {
    country: 'DE',
    from: '2021-01-01',
    kind: 'REVERSE_CHARGE',
    category: 'AE',
    places: ['DOMESTIC', 'THIRD_COUNTRY'],
    net: '84',
    vat: '85',
  },
  { country: 'DE', from: '2007-01-01', kind: 'INPUT', category: 'AE', vat: '67' },
  { country: 'DE', from: '2007-01-01', kind: 'IMPORT', category: 'IMPORT', vat: '62' },
  { country: 'AT', from: '2016-01-01', kind: 'OUTPUT', category: 'S', rate: '20', net: '022' },
  { country: 'AT', from: '2016-01-01', kind: 'OUTPUT', category: 'S', rate: '10', net: '029' },
  { country: 'AT', from: '2016-01-01', kind: 'OUTPUT', category: 'S', rate: '13', net: '006' },
  { country: 'AT', from: '2016-01-01', kind: 'OUTPUT', category: 'K', net: '017' },
  { country: 'AT', from: '2016-01-01', kind: 'OUTPUT', category: 'G', net: '011' },
  ...inputBoxes('AT', '060', ['20', '13', '10'], '2016-01-01'),
  ...inputBoxes('AT', '060', ['5'], '2020-07-01', '2022-01-01'),
  ...inputBoxes('AT', '060', ['4.9'], '2026-07-01'),
  { country: 'AT', from: '2016-01-01', kind: 'ACQUISITION', category: 'K', rate: '20', net: '072' },
  { country: 'AT', from: '2016-01-01', kind: 'ACQUISITION', category: 'K', rate: '10', net: '073' },
  { country: 'AT', from: '2016-01-01', kind: 'ACQUISITION', category: 'K', rate: '13', net: '008' },
  { country: 'AT', from: '2016-01-01', kind: 'ACQUISITION', category: 'K', rate: '0', net: '071' },
  { country: 'AT', from: '2016-01-01', kind: 'INPUT', category: 'K', vat: '065' },
  { country: 'AT', from: '2016-01-01', kind: 'REVERSE_CHARGE', category: 'AE', places: abroad, vat: '057' },
  { country: 'AT', from: '2016-01-01', kind: 'REVERSE_CHARGE', category: 'AE', places: ['DOMESTIC'], vat: '048' },
  { country: 'AT', from: '2016-01-01', kind: 'INPUT', category: 'AE', places: abroad, vat: '066' },
  { country: 'AT', from: '2016-01-01', kind: 'INPUT', category: 'AE', places: ['DOMESTIC'], vat: '082' },
  { country: 'AT', from: '2016-01-01', kind: 'IMPORT', category: 'IMPORT', vat: '061' },
];

/** @param day the last day of the report, `YYYY-MM-DD` */
const findBoxes = (country: string, day: string): VatBox[] =>
  boxes.filter((box) => box.country === country && box.from <= day);

/** A row of a VAT report. */
interface RowToDeclare {
  kind: VatKind;
  category: string;
  rate: string;
  supplierPlace: SupplierPlace | null;
}

export function findVatBox(
  country: string,
  day: string,
  { kind, category, rate, supplierPlace }: RowToDeclare,
): Pick<VatBox, 'net' | 'vat'> | undefined {
  const valid = findBoxes(country, day).filter(
    ({ places, ...box }) =>
      box.kind === kind && box.category === category && (!places || (supplierPlace && places.includes(supplierPlace))),
  );
  const latest = (all: VatBox[]): VatBox | undefined => all.toSorted((a, b) => a.from.localeCompare(b.from)).at(-1);
  return latest(valid.filter((box) => box.rate === rate)) ?? latest(valid.filter((box) => box.rate === undefined));
}

/**
 * The supplier's place, as an expression of SQL, of shares whose box depends on it; null for the others.
 * @param country the tenant's
 */
export function supplierPlaceSql(country: string, day: string): string {
  const placed = findBoxes(country, day).filter(({ places }) => places);
  if (placed.length === 0) return 'null::text';
  const rows = placed.map((box) => `('${box.kind}', '${box.category}')`);
  // These are countries of the table above.
  return `case when (kind, category) in (${[...new Set(rows)].join(', ')}) then case
    when supplier_country is null then 'UNKNOWN'
    when supplier_country = '${placed[0]?.country}' then 'DOMESTIC'
    when ${isMemberStateSql('supplier_country')} then 'MEMBER_STATE'
    else 'THIRD_COUNTRY'
  end end`;
}
