import { detectDateFormat } from '../../../upload/csv-formats.ts';
import { orNull } from '../../../forms/form-values.ts';
import { t } from '../../../i18n/t.ts';

/** How a CSV states its amounts. */
export const amountKinds = {
  signed: t('One column, with a sign'),
  direction: t('One column, with the direction in another'),
  debitAndCredit: t('Two columns: money sent, money received'),
} as const;

type Column = string | null;

/** The values of the mapping form. Columns are named by their position, from 1, because names may occur twice. */
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

// The names that banks give their columns, in German, Dutch, and English. The first matching field is used.
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

const iban = /^[A-Z]{2}\d{2}[A-Z0-9]{8,30}$/;
const ownAccountName = /auftragskonto|own|eigen/;

/** Whether a column contains counterparties' accounts. They differ between rows; the statement's own account doesn't. */
function isCounterpartyAccount(column: Column, header: string[], rows: string[][]): boolean {
  if (column === null) return false;
  const index = Number(column) - 1;
  if (ownAccountName.test(header[index]?.toLowerCase() ?? '')) return false;
  const cells = rows.map((row) => (row[index] ?? '').replaceAll(/\s/g, '').toUpperCase());
  return new Set(cells.filter((cell) => iban.test(cell))).size > 1;
}

/** Guesses the mapping of a CSV from its first rows. */
export function guessMapping([header = [], ...rows]: string[][], currency: string): CsvValues {
  const [sample = []] = rows;
  const columns: CsvValues['columns'] = {
    ...(Object.fromEntries(names.map(([field]) => [field, null])) as Omit<CsvValues['columns'], 'reference'>),
    reference: [],
  };
  for (const [index, cell] of header.entries()) {
    const name = cell.trim().toLowerCase();
    const position = String(index + 1);
    const field = names.find(([each, pattern]) => columns[each] === null && pattern.test(name))?.[0];
    if (field) columns[field] = position;
    else if (references.test(name)) columns.reference.push(position);
  }
  if (
    columns.counterpartyName &&
    !columns.counterpartyIban &&
    isCounterpartyAccount(columns.accountIban, header, rows)
  ) {
    columns.counterpartyIban = columns.accountIban;
    columns.accountIban = null;
  }
  const getCell = (column: Column): string => sample[Number(column) - 1]?.trim() ?? '';
  const amount = getCell(columns.amount ?? columns.credit) || getCell(columns.debit);
  return {
    headerRow: true,
    skipLines: '0',
    dateFormat: detectDateFormat([getCell(columns.bookingDate)]) ?? 'DD.MM.YYYY',
    decimalSeparator: /\.\d{1,2}\D*$/.test(amount) ? '.' : ',',
    amountKind: columns.debit && columns.credit ? 'debitAndCredit' : columns.direction ? 'direction' : 'signed',
    columns,
    accountIban: '',
    currency,
  };
}

/** Converts the form's values to the mutation's input. Missing values are sent, so that the server reports them. */
export function buildMapping(values: CsvValues) {
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
