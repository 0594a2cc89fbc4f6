import { germanRates } from '../../codes/german-rates.ts';
import { getVatCountrySql, isMemberStateSql } from '../../codes/vat-territory.ts';
import type { ReceiptVatCategory } from '../../money/vat-categories.ts';

/** Whose VAT it is. */
export type VatKind = 'OUTPUT' | 'REVERSE_CHARGE' | 'ACQUISITION' | 'INPUT' | 'IMPORT';

/** Where a supplier was when the receipt was booked, or a customer when the invoice was issued, seen from the tenant. */
export type PartnerPlace = 'DOMESTIC' | 'MEMBER_STATE' | 'THIRD_COUNTRY' | 'UNKNOWN';

/** Where an amount of a VAT report stands in a country's VAT return. */
interface VatBox {
  country: string;
  /** The first day of which the return has it so. */
  from: string;
  kind: VatKind;
  category: ReceiptVatCategory;
  /** Absent: all rates that have no box of their own. */
  rate?: string;
  /** The places of customers or suppliers that it is for; null is any that isn't abroad. Absent: all. */
  places?: readonly (PartnerPlace | null)[];
  /** The numbers of the boxes for the net amount and for the VAT; absent where the return has none. */
  net?: string;
  vat?: string;
}

const abroad: readonly PartnerPlace[] = ['MEMBER_STATE', 'THIRD_COUNTRY'];

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
 * The box of input VAT, at the rates that the country itself has, and of suppliers that aren't known to be in another one: VAT of
 * another country can't be deducted there (§ 15 (1) 1 UStG; § 12 (1) of Austria's UStG), also at a rate that both have. A supplier
 * abroad that charges VAT of the country has a VAT number there, which decides where it is.
 * @param until the first day on which the rates are no longer its own
 */
const inputBoxes = (country: string, vat: string, rates: readonly string[], from: string, until?: string): VatBox[] =>
  rates.flatMap((rate) => {
    const box = { country, from, kind: 'INPUT', category: 'S', rate, places: [null] } as const;
    return [{ ...box, vat }, ...(until === undefined ? [] : [{ ...box, from: until }])];
  });

/** The rates of Germany's farmers (§ 24 (1) UStG), but for that of 2023 and 2024, which other member states still have. */
const germanFarmers = ['10.7', '9.5', '8.4', '7.8', '5.5'];

/**
 * The boxes of Germany's Umsatzsteuer-Voranmeldung (USt 1 A) and of Austria's U 30. Lines about which too little is known here
 * have none: exempt supplies, input VAT at other rates, and reverse charge of a partner whose country isn't known. Reverse charge is
 * taken for the usual: from another member state for services in Germany (§ 13b (1) UStG), and within Austria for construction
 * (§ 19 (1a)); what a customer abroad owes, for services that aren't taxable at home (§ 3a (2) UStG), of which
 * Austria's return has no box.
 */
const boxes: readonly VatBox[] = [
  { country: 'DE', from: '2021-01-01', kind: 'OUTPUT', category: 'S', rate: '19', net: '81' },
  { country: 'DE', from: '2021-01-01', kind: 'OUTPUT', category: 'S', rate: '7', net: '86' },
  ...otherGermanRates,
  { country: 'DE', from: '2007-01-01', kind: 'OUTPUT', category: 'K', net: '41' },
  { country: 'DE', from: '2007-01-01', kind: 'OUTPUT', category: 'G', net: '43' },
  { country: 'DE', from: '2007-01-01', kind: 'OUTPUT', category: 'O', net: '45' },
  { country: 'DE', from: '2010-01-01', kind: 'OUTPUT', category: 'AE', places: ['MEMBER_STATE'], net: '21' },
  { country: 'DE', from: '2007-01-01', kind: 'OUTPUT', category: 'AE', places: ['THIRD_COUNTRY'], net: '45' },
  { country: 'DE', from: '2007-01-01', kind: 'OUTPUT', category: 'AE', places: ['DOMESTIC'], net: '60' },
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
  { country: 'AT', from: '2016-01-01', kind: 'OUTPUT', category: 'AE', places: ['DOMESTIC'], net: '021' },
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
  place: PartnerPlace | null;
}

export function findVatBox(
  country: string,
  day: string,
  { kind, category, rate, place }: RowToDeclare,
): Pick<VatBox, 'net' | 'vat'> | undefined {
  const valid = findBoxes(country, day).filter(
    ({ places, ...box }) => box.kind === kind && box.category === category && (!places || places.includes(place)),
  );
  const latest = (all: VatBox[]): VatBox | undefined => all.toSorted((a, b) => a.from.localeCompare(b.from)).at(-1);
  return latest(valid.filter((box) => box.rate === rate)) ?? latest(valid.filter((box) => box.rate === undefined));
}

/** Rows whose box depends on the partner's place. */
const findPlaced = (country: string, day: string): VatBox[] => findBoxes(country, day).filter(({ places }) => places);

/** Whether its rows name a place only where the partner is abroad. */
const isPlacedAbroadOnly = ({ places }: VatBox): boolean => places?.includes(null) ?? false;

/** A condition of SQL, by which shares are those of some rows. These are kinds, categories, and rates of the table above. */
function areIn(rows: VatBox[]): string {
  const conditions = rows.map(
    ({ kind, category, rate }) =>
      `kind = '${kind}' and category = '${category}'${rate === undefined ? '' : ` and rate = ${rate}`}`,
  );
  return conditions.length === 0 ? 'false' : `(${[...new Set(conditions)].join(' or ')})`;
}

/**
 * Shares with the place of the customer or supplier, `place`, where their box depends on it; else null. The customer is the one that
 * is frozen with the issued invoice, whose parties are looked up only for these shares.
 * @param country the tenant's
 */
export function placedShares(shares: string, country: string, day: string): string {
  const placed = findPlaced(country, day);
  if (placed.length === 0) return `select share.*, null::text as place from (${shares}) as share`;
  const abroadSql = `case when ${isMemberStateSql('partner_country')} then 'MEMBER_STATE' else 'THIRD_COUNTRY' end`;
  return `
    select share.*, case
      when ${areIn(placed.filter((box) => !isPlacedAbroadOnly(box)))} then case
        when partner_country is null then 'UNKNOWN'
        when partner_country = '${country}' then 'DOMESTIC'
        else ${abroadSql}
      end
      when ${areIn(placed.filter(isPlacedAbroadOnly))} and partner_country <> '${country}' then ${abroadSql}
    end as place
    from (
      select share.*, case when ${areIn(placed.filter(({ kind }) => kind === 'OUTPUT'))} then (
        select ${getVatCountrySql('buyer')} from invoice_parties where tenant_id = $1 and id = share.invoice_id
      ) else supplier_country end as partner_country
      from (${shares}) as share offset 0
    ) as share`;
}

/** Whether rows of a kind and category are of one place each; else there is one without a place beside those abroad. */
export const isAlwaysPlaced = (country: string, day: string, kind: VatKind, category: string): boolean =>
  !findPlaced(country, day).some((box) => box.kind === kind && box.category === category && isPlacedAbroadOnly(box));

/**
 * Whether VAT that a supplier stated is the tenant's country's own, so that it can be deducted there. In countries whose return isn't
 * known here, all rates may be their own.
 * @param day when it counts, `YYYY-MM-DD`
 * @param rate without zeros at its end
 * @param supplierCountry frozen with the receipt; null where it isn't known
 */
export function isOwnInputVat(country: string, day: string, rate: string, supplierCountry: string | null): boolean {
  if (supplierCountry !== null && supplierCountry !== country) return false;
  if (findBoxes(country, day).length === 0) return true;
  return findVatBox(country, day, { kind: 'INPUT', category: 'S', rate, place: null })?.vat !== undefined;
}

/** The same as an expression of SQL, of a share of input VAT. */
export function isOwnInputVatSql(country: string): string {
  const own = boxes.filter((box) => box.country === country);
  const rates = own.filter(({ kind, category }) => kind === 'INPUT' && category === 'S');
  const first = own.map(({ from }) => from).toSorted()[0];
  const atRates = rates.flatMap(({ rate, from, vat }) => {
    const until = rates.find((box) => box.rate === rate && box.from > from)?.from ?? 'infinity';
    return vat === undefined ? [] : [`rate = ${rate} and date >= '${from}' and date < '${until}'`];
  });
  return `(supplier_country is null or supplier_country = '${country.replaceAll("'", "''")}')
    and (${[...atRates, first === undefined ? 'true' : `date < '${first}'`].join(' or ')})`;
}
