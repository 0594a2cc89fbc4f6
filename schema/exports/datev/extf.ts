import type { Decimal } from '../../money/money.ts';
import { ExportError } from '../export-error.ts';
import type { Posting } from './postings.ts';
import { encodeWindows1252, toWindows1252Text } from './windows-1252.ts';

// DATEV's format for other programs ("DATEV-Format", EXTF), version 700: category 21, "Buchungsstapel", version 13. Described at
// https://developer.datev.de/datev/platform/de/dtvf (header, Buchungsstapel): semicolons, texts in quotes without control
// characters, a decimal comma, CR LF.

/** The most postings of a file. */
export const maxPostings = 99_999;

const pairs = (count: number, first: string, second: string): string[] =>
  Array.from({ length: count }, (_, at) => [`${first} ${at + 1}`, `${second} ${at + 1}`]).flat();

/** The fields of a posting, as DATEV names them, in their order. */
const fieldNames = [
  'Umsatz (ohne Soll/Haben-Kz)',
  'Soll/Haben-Kennzeichen',
  'WKZ Umsatz',
  'Kurs',
  'Basis-Umsatz',
  'WKZ Basis-Umsatz',
  'Konto',
  'Gegenkonto (ohne BU-Schlüssel)',
  'BU-Schlüssel',
  'Belegdatum',
  'Belegfeld 1',
  'Belegfeld 2',
  'Skonto',
  'Buchungstext',
  'Postensperre',
  'Diverse Adressnummer',
  'Geschäftspartnerbank',
  'Sachverhalt',
  'Zinssperre',
  'Beleglink',
  ...pairs(8, 'Beleginfo - Art', 'Beleginfo - Inhalt'),
  'KOST1 - Kostenstelle',
  'KOST2 - Kostenstelle',
  'Kost-Menge',
  'EU-Land u. UStID (Bestimmung)',
  'EU-Steuersatz (Bestimmung)',
  'Abw. Versteuerungsart',
  'Sachverhalt L+L',
  'Funktionsergänzung L+L',
  'BU 49 Hauptfunktionstyp',
  'BU 49 Hauptfunktionsnummer',
  'BU 49 Funktionsergänzung',
  ...pairs(20, 'Zusatzinformation - Art', 'Zusatzinformation- Inhalt'),
  'Stück',
  'Gewicht',
  'Zahlweise',
  'Forderungsart',
  'Veranlagungsjahr',
  'Zugeordnete Fälligkeit',
  'Skontotyp',
  'Auftragsnummer',
  'Buchungstyp',
  'USt-Schlüssel (Anzahlungen)',
  'EU-Land (Anzahlungen)',
  'Sachverhalt L+L (Anzahlungen)',
  'EU-Steuersatz (Anzahlungen)',
  'Erlöskonto (Anzahlungen)',
  'Herkunft-Kz',
  'Buchungs GUID',
  'KOST-Datum',
  'SEPA-Mandatsreferenz',
  'Skontosperre',
  'Gesellschaftername',
  'Beteiligtennummer',
  'Identifikationsnummer',
  'Zeichnernummer',
  'Postensperre bis',
  'Bezeichnung SoBil-Sachverhalt',
  'Kennzeichen SoBil-Buchung',
  'Festschreibung',
  'Leistungsdatum',
  'Datum Zuord. Steuerperiode',
  'Fälligkeit',
  'Generalumkehr (GU)',
  'Steuersatz',
  'Land',
  'Abrechnungsreferenz',
  'BVV-Position',
  'EU-Land u. UStID (Ursprung)',
  'EU-Steuersatz (Ursprung)',
  'Abw. Skontokonto',
] as const;

const place = (name: string): number => {
  const at = (fieldNames as readonly string[]).indexOf(name);
  if (at === -1) throw new Error(`A posting has no field ${name}`);
  return at;
};

const places = {
  amount: place('Umsatz (ohne Soll/Haben-Kz)'),
  side: place('Soll/Haben-Kennzeichen'),
  currency: place('WKZ Umsatz'),
  rate: place('Kurs'),
  baseAmount: place('Basis-Umsatz'),
  baseCurrency: place('WKZ Basis-Umsatz'),
  account: place('Konto'),
  contra: place('Gegenkonto (ohne BU-Schlüssel)'),
  key: place('BU-Schlüssel'),
  day: place('Belegdatum'),
  number: place('Belegfeld 1'),
  text: place('Buchungstext'),
  destination: place('EU-Land u. UStID (Bestimmung)'),
  destinationRate: place('EU-Steuersatz (Bestimmung)'),
  final: place('Festschreibung'),
  supplied: place('Leistungsdatum'),
  taxPeriod: place('Datum Zuord. Steuerperiode'),
} as const;

export interface Batch {
  consultantNumber: number;
  clientNumber: number;
  /** `03`, `04`. */
  chart: string;
  currency: string;
  from: string;
  to: string;
  /** Whether the period is closed for ever ("Festschreibung"). */
  isFinal: boolean;
}

/** The two lines before the postings. No time of day is in them, so that the same postings make the same bytes. */
export const headLines = (batch: Batch): Buffer =>
  encodeLines([
    [
      quote('EXTF'),
      '700',
      '21',
      quote('Buchungsstapel'),
      '13',
      `${compact(batch.to)}000000000`, // made at: the last day of the period
      '',
      quote('KO'),
      quote(''),
      quote(''),
      String(batch.consultantNumber),
      String(batch.clientNumber),
      `${batch.from.slice(0, 4)}0101`, // the first day of the fiscal year
      '4', // the digits of accounts other than partners'
      compact(batch.from),
      compact(batch.to),
      quote(`Kontor ${compact(batch.from)}-${compact(batch.to)}`),
      quote(''),
      '1', // financial accounting
      '0',
      batch.isFinal ? '1' : '0',
      quote(batch.currency),
      '',
      quote(''),
      '',
      '',
      quote(batch.chart),
      '',
      '',
      quote(''),
      quote(''),
    ],
    [...fieldNames],
  ]);

type Common = Pick<Batch, 'isFinal' | 'currency'>;

export const postingLines = (postings: readonly Posting[], batch: Common): Buffer =>
  encodeLines(postings.map((posting) => buildFields(posting, batch)));

function buildFields(posting: Posting, { isFinal, currency }: Common): string[] {
  const fields = fieldNames.map(() => '');
  const set = (name: keyof typeof places, value: string): void => void (fields[places[name]] = value);
  const [year = '', month = '', day = ''] = posting.day.split('-');
  set('side', quote(posting.amount.isNegative() ? 'H' : 'S'));
  const { exchange } = posting;
  const isExchanged = exchange?.currency === currency && !exchange.amount.isZero();
  const rate = isExchanged ? computeRate(posting.amount, exchange.amount) : undefined;
  // Without a rate, only the books' own currency can be posted.
  if (isExchanged && rate === undefined) {
    set('amount', writeAmount({ ...posting, amount: exchange.amount }));
    set('currency', quote(currency));
  } else {
    set('amount', writeAmount(posting));
    set('currency', quote(posting.currency));
  }
  if (exchange && rate !== undefined) {
    set('rate', rate);
    set('baseAmount', writeAmount({ ...posting, amount: exchange.amount }));
    set('baseCurrency', quote(exchange.currency));
  }
  set('account', posting.account);
  set('contra', posting.contra);
  if (posting.key !== undefined) set('key', quote(posting.key));
  set('day', `${day}${month}`);
  set('number', quote(documentField(posting.number)));
  set('text', quote(cut(posting.text, 60)));
  if (posting.destination !== undefined) set('destination', quote(cut(posting.destination, 15)));
  if (posting.destinationRate !== undefined) set('destinationRate', comma(posting.destinationRate));
  set('final', isFinal ? '1' : '0');
  const supplied = posting.supplied ?? null;
  if (supplied !== null && supplied !== posting.day) {
    const [suppliedYear = year, suppliedMonth = '', suppliedDay = ''] = supplied.split('-');
    // The one isn't taken without the other.
    for (const name of ['supplied', 'taxPeriod'] as const) set(name, `${suppliedDay}${suppliedMonth}${suppliedYear}`);
  }
  return fields;
}

/** Above zero, with ten digits before the comma and two after it. */
function writeAmount({ amount, number }: Posting): string {
  if (amount.decimalPlaces() > 2)
    throw new ExportError(`DATEV has amounts of two decimals, and ${number} is in a currency of more.`);
  const text = amount.abs().toFixed(2);
  if (text.length > 13) throw new ExportError(`The amount of ${number} is too large for DATEV.`);
  return text.replace('.', ',');
}

/**
 * How much foreign money one unit of the books' currency was worth; undefined where DATEV's field can't have it: below one, and from
 * ten thousand.
 */
function computeRate(amount: Decimal, exchanged: Decimal): string | undefined {
  const rate = amount.abs().dividedBy(exchanged).toFixed(6);
  return Number(rate) >= 1 && rate.length <= 11 ? rate.replace('.', ',') : undefined;
}

/** With two digits before the comma, and two after it. */
const comma = (rate: string): string => Number(rate).toFixed(2).padStart(5, '0').replace('.', ',');

/** A number as "Belegfeld 1" may have it: at most 36 letters, digits, and some signs. */
const documentField = (number: string): string =>
  toWindows1252Text(number)
    .replaceAll(/[^A-Za-z0-9$&%*+\-/]/g, '-')
    .slice(0, 36);

const cut = (text: string, length: number): string => [...toWindows1252Text(text)].slice(0, length).join('');

/** A text field. Control characters are refused there. */
const quote = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  `"${text.replaceAll(/[\0-\u001F\u007F-\u009F]/g, ' ').replaceAll('"', '""')}"`;

const compact = (day: string): string => day.replaceAll('-', '');

const encodeLines = (lines: readonly (readonly string[])[]): Buffer =>
  encodeWindows1252(lines.map((fields) => `${fields.join(';')}\r\n`).join(''));
