import { orNull } from '../../../forms/form-values.ts';

/** How the amounts of a CSV are written. */
export const amountKinds = {
  signed: 'One column, with a sign',
  direction: 'One column, another says which way',
  debitAndCredit: 'Two columns: sent, and received',
} as const;

type Column = string | null;

/** A CSV's mapping as it is filled in. Columns are named by their place, from 1 on: names may occur twice. */
export interface CsvValues {
  headerRow: boolean;
  skipLines: string;
  dateFormat: string;
  decimalSeparator: string;
  amountKind: keyof typeof amountKinds;
  columns: {
    bookingDate: Column;
    valueDate: Column;
    amount: Column;
    direction: Column;
    debit: Column;
    credit: Column;
    currency: Column;
    accountIban: Column;
    counterpartyName: Column;
    counterpartyIban: Column;
    reference: string[];
    externalId: Column;
  };
  accountIban: string;
  currency: string;
}

// What banks call their columns, in the languages of the tenants there are. Of several, the first that fits.
const names: [field: Exclude<keyof CsvValues['columns'], 'reference'>, pattern: RegExp][] = [
  ['bookingDate', /^(buchungs|booking|boek|transaction |posting )?-?(tag|date|datum)$|^date|^datum|buchungstag/],
  ['valueDate', /valut|wertstellung|value ?date|rentedatum/],
  ['debit', /^(debit|soll|af|paid out|money out|ausgang)$/],
  ['credit', /^(credit|haben|bij|paid in|money in|eingang)$/],
  ['amount', /betrag|amount|bedrag|umsatz(?!art)/],
  ['direction', /soll.*haben|debit.*credit|af.?bij|^s\/h$|^d\/c$|direction/],
  ['currency', /w(ae|ä)hrung|currency|^munt|valuta$/],
  [
    'counterpartyIban',
    /(?=.*(gegen|counter|tegen|partner|beneficiary|beteiligt))(?=.*(iban|konto|account|rekening))|^kontonummer\/iban/,
  ],
  [
    'counterpartyName',
    /^name|beg(ue|ü)nstigt|auftraggeber|zahlungspflichtig|empf(ae|ä)nger|beteiligt|counterparty|payee|partner|naam/,
  ],
  ['accountIban', /auftragskonto|^iban$|^own |^account|^rekening|^konto/],
  ['externalId', /^(id|reference id|transaction id|transaktions-?id|bank reference)$/],
];

const references = /verwendungszweck|reference|purpose|omschrijving|mededeling|description|buchungstext/;

const dateFormats: [pattern: RegExp, format: string][] = [
  [/^\d{4}-\d\d-\d\d/, 'YYYY-MM-DD'],
  [/^\d{1,2}\.\d{1,2}\.\d{4}/, 'DD.MM.YYYY'],
  [/^\d{1,2}\.\d{1,2}\.\d\d$/, 'DD.MM.YY'],
  [/^\d{1,2}\/\d{1,2}\/\d{4}/, 'DD/MM/YYYY'],
  [/^\d{1,2}-\d{1,2}-\d{4}/, 'DD-MM-YYYY'],
  [/^\d{8}$/, 'YYYYMMDD'],
];

export const knownDateFormats = [...dateFormats.map(([, format]) => format), 'MM/DD/YYYY', 'YYYY/MM/DD'];

const iban = /^[A-Z]{2}\d{2}[A-Z0-9]{8,30}$/;
const saysOwn = /auftragskonto|own|eigen/;

/** Whether a column contains counterparties' accounts: they differ, while the statement's own account doesn't. */
function isTheirs(column: Column, header: string[], rows: string[][]): boolean {
  if (column === null) return false;
  const index = Number(column) - 1;
  if (saysOwn.test(header[index]?.toLowerCase() ?? '')) return false;
  const cells = rows.map((row) => (row[index] ?? '').replaceAll(/\s/g, '').toUpperCase());
  return new Set(cells.filter((cell) => iban.test(cell))).size > 1;
}

/** A mapping for a CSV, as far as its first rows tell. */
export function guess([header = [], ...rows]: string[][], currency: string): CsvValues {
  const [sample = []] = rows;
  const columns: CsvValues['columns'] = {
    ...(Object.fromEntries(names.map(([field]) => [field, null])) as Omit<CsvValues['columns'], 'reference'>),
    reference: [],
  };
  for (const [index, cell] of header.entries()) {
    const name = cell.trim().toLowerCase();
    const place = String(index + 1);
    const field = names.find(([each, pattern]) => columns[each] === null && pattern.test(name))?.[0];
    if (field) columns[field] = place;
    else if (references.test(name)) columns.reference.push(place);
  }
  if (columns.counterpartyName && !columns.counterpartyIban && isTheirs(columns.accountIban, header, rows)) {
    columns.counterpartyIban = columns.accountIban;
    columns.accountIban = null;
  }
  const cellOf = (column: Column): string => sample[Number(column) - 1]?.trim() ?? '';
  const amount = cellOf(columns.amount ?? columns.credit) || cellOf(columns.debit);
  return {
    headerRow: true,
    skipLines: '0',
    dateFormat: dateFormats.find(([pattern]) => pattern.test(cellOf(columns.bookingDate)))?.[1] ?? 'DD.MM.YYYY',
    decimalSeparator: /\.\d{1,2}\D*$/.test(amount) ? '.' : ',',
    amountKind: columns.debit && columns.credit ? 'debitAndCredit' : columns.direction ? 'direction' : 'signed',
    columns,
    accountIban: '',
    currency,
  };
}

/** As the server wants it. What is missing is sent as it is: the server says so, beside the field. */
export function mappingOf(values: CsvValues) {
  const { columns, amountKind, skipLines, accountIban, currency, ...rest } = values;
  const { amount, direction, debit, credit, bookingDate, ...others } = columns;
  return {
    headerRow: rest.headerRow,
    dateFormat: rest.dateFormat,
    decimalSeparator: rest.decimalSeparator,
    skipLines: Number(skipLines) || 0,
    accountIban: orNull(accountIban),
    currency: orNull(currency),
    columns: {
      ...others,
      bookingDate: bookingDate ?? '',
      ...(amountKind === 'debitAndCredit' ? { debit, credit } : { amount }),
      ...(amountKind === 'direction' && { direction }),
    },
  };
}
