import type { EnumOf } from '../../graphql.ts';
import { detectDateFormat, detectDecimalSeparator } from '../../upload/csv-formats.ts';
import { getLabel } from './field-names.ts';
import type { ImportField, Kind, PresetFile } from './fields.ts';
import { t } from '../../i18n/t.ts';

/** The values of the mapping. */
export interface MappingValues {
  preset: EnumOf<'ImportPreset'> | null;
  /** The column of each field, as `getColumns` names it; null for none. */
  columns: Record<string, string | null>;
  /** The text that stands for an empty cell. */
  defaults: Record<string, string>;
  dateFormat: string;
  decimalSeparator: string;
}

export interface Column {
  /** The heading; the position, from 1, where that alone is clear. */
  value: string;
  heading: string;
  index: number;
}

/** The columns of a file. A heading that occurs twice, is empty, or is a number doesn't name a column. */
export const getColumns = ([headings = []]: string[][]): Column[] =>
  headings.map((cell, index) => {
    const heading = cell.trim();
    const isName =
      heading !== '' && !/^\d{1,3}$/.test(heading) && headings.filter((other) => isSame(other, heading)).length === 1;
    return {
      value: isName ? heading : String(index + 1),
      heading: heading || t('Column {number}', { number: String(index + 1) }),
      index,
    };
  });

const plain = (text: string): string => text.trim().replace(/^\*/, '').toLowerCase();
const isSame = (one: string, other: string): boolean => plain(one) === plain(other);

const columnNamed = (columns: Column[], heading: string): string | null =>
  columns.find((column) => isSame(column.heading, heading))?.value ?? null;

/** The preset whose columns a file has: all that are needed, and the most of the others. */
export function detectPreset({ fields, presets }: Kind, columns: Column[]): PresetFile | undefined {
  const required = new Set(fields.flatMap(({ name, isRequired }) => (isRequired ? name : [])));
  const matches = presets.flatMap((preset) => {
    const defaults = new Set(preset.defaults.map(({ field }) => field));
    const there = preset.columns.filter(({ text }) => columnNamed(columns, text) !== null);
    const missing = preset.columns.filter((each) => !there.includes(each));
    const isWhole = missing.every(({ field }) => !required.has(field) || defaults.has(field));
    return isWhole ? { preset, count: there.length } : [];
  });
  return matches.toSorted((a, b) => b.count - a.count)[0]?.preset;
}

/** Headings of other systems, in English and German. */
const synonyms: Record<string, RegExp> = {
  externalId: /^(id|nr\.?|no\.?|.*(number|nummer|-nr\.?| id))$/,
  type: /^(type|art|typ)$/,
  companyName: /^(company|firma|firmenname|kunde|customer|organi[sz]ation)( ?name)?$|^name$/,
  email: /^e-?mail/,
  addressLine1: /^(street|stra(ß|ss)e|address|adresse)/,
  postalCode: /^(plz|postleitzahl|postal ?code|zip)/,
  city: /^(ort|stadt|city|town)$/,
  country: /^(land|country)$/,
  vatId: /^(ust-?id|vat|tax ?number)/,
  contactName: /^(contact|ansprechpartner|kontakt)/,
  phone: /^(phone|tele(f|ph)on)/,
  buyerReference: /^(leitweg|buyer ?ref)/,
  language: /^(language|sprache)$/,
  paymentTermsDays: /^(payment terms|zahlungsziel)/,
  customer: /^(customer|client|kunde|kundennummer)/,
  supplier: /^(supplier|vendor|lieferant)/,
  project: /^(project|projekt)/,
  number: /^(invoice|rechnungs).*(number|no|nummer|nr)|^(nr\.?|nummer|number)$/,
  invoiceDate: /^(invoice|rechnungs) ?-?(date|datum)$|^(date|datum)$/,
  receiptDate: /^(date|datum|belegdatum)$/,
  date: /^(date|datum|tag|day)$/,
  dueDate: /^(due|f(ä|ae)llig)/,
  deliveryDate: /^(delivery|supply|service) ?date|^(leistungs|liefer)datum$|^date of (supply|delivery|service)$/,
  paidOn: /^(paid|bezahlt|date paid)/,
  currency: /^(currency|w(ä|ae)hrung)/,
  totalGross: /^(total|gross|brutto)/,
  amountGross: /^(total|amount|gross|brutto|betrag)/,
  title: /^(item|title|text|bezeichnung|position)/,
  description: /^(description|beschreibung|notes?)$/,
  quantity: /^(quantity|qty|menge|anzahl)/,
  unit: /^(unit|einheit)$/,
  unitPriceNet: /^(unit ?price|rate|price|einzelpreis|preis|net|netto)/,
  vatRate: /^(vat|ust|mwst|tax)/,
  discountPercent: /^(discount|rabatt)/,
  hours: /^(hours|stunden)/,
  duration: /^(duration|dauer)/,
  name: /^(name|project|projekt)/,
};

function guessColumns(fields: readonly ImportField[], columns: Column[]): Record<string, string | null> {
  const found = fields.map(({ name }): [string, string | null] => {
    const pattern = synonyms[name];
    const named = columnNamed(columns, getLabel(name));
    return [name, named ?? (pattern && columns.find(({ heading }) => pattern.test(plain(heading)))?.value) ?? null];
  });
  return Object.fromEntries(found);
}

/** The mapping that a preset says, or that the headings suggest; formats as the first rows have them. */
export function mappingFor(kind: Kind, rows: string[][], preset: PresetFile | undefined): MappingValues {
  const columns = getColumns(rows);
  const named = new Map(preset?.columns.map(({ field, text }) => [field, text]));
  const mapped = preset
    ? Object.fromEntries(kind.fields.map(({ name }) => [name, columnNamed(columns, named.get(name) ?? '\0')]))
    : guessColumns(kind.fields, columns);
  const getCells = (...types: ImportField['type'][]): string[] =>
    kind.fields
      .filter(({ type }) => types.includes(type))
      .flatMap(({ name }) => columns.find(({ value }) => value === mapped[name]) ?? [])
      .flatMap(({ index }) => rows.slice(1).map((row) => row[index] ?? ''));
  const usual = preset?.dateFormat ?? 'YYYY-MM-DD';
  return {
    preset: preset?.preset ?? null,
    columns: mapped,
    defaults: Object.fromEntries(preset?.defaults.map(({ field, text }) => [field, text]) ?? []),
    dateFormat: detectDateFormat(getCells('DAY'), preset?.dateFormat) ?? usual,
    decimalSeparator: detectDecimalSeparator(getCells('DECIMAL')) ?? preset?.decimalSeparator ?? '.',
  };
}

const filled = (texts: Record<string, string | null>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).filter((entry): entry is [string, string] => !!entry[1]?.trim()));

/** The mapping as arguments of an import. */
export const mappingArguments = ({ preset, columns, defaults, dateFormat, decimalSeparator }: MappingValues) => ({
  preset,
  columns: filled(columns),
  defaults: filled(defaults),
  format: { dateFormat, decimalSeparator },
});
