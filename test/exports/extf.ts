import { parse } from 'csv-parse/sync';
import { Decimal } from '../../schema/money/money.ts';

// A reader of DATEV's files that knows nothing of the writer.

export interface ReadFile {
  head: string[];
  rows: Record<string, string>[];
}

/** @throws Error where the file isn't as DATEV describes it */
export function readExtf(file: Buffer): ReadFile {
  const text = new TextDecoder('windows-1252', { fatal: true }).decode(file);
  if (!text.endsWith('\r\n') || /[^\r]\n|\r[^\n]/.test(text)) throw new Error('Lines end by CR LF');
  const [head = [], names = [], ...lines] = parse(text, {
    delimiter: ';',
    record_delimiter: '\r\n',
    relax_column_count: true,
  });
  if (head.length !== 31) throw new Error(`The header has ${head.length} fields`);
  if (names.length !== 125) throw new Error(`There are ${names.length} columns`);
  for (const line of lines) {
    if (line.length !== 125) throw new Error(`A posting has ${line.length} fields`);
    if (!/^\d{1,10},\d\d$/.test(line[0] ?? '') || line[0] === '0,00') throw new Error(`The amount is ${line[0]}`);
    if (!/^[SH]$/.test(line[1] ?? '')) throw new Error(`The side is ${line[1]}`);
  }
  return { head, rows: lines.map((line) => Object.fromEntries(names.map((name, at) => [name, line[at] ?? '']))) };
}

/** The rate and the accounts of VAT of a tax key or an automatic account of SKR 03. With `isOnNet`, VAT is on top. */
const taxes: Record<string, { rate: number; accounts: [account: string, sign: 1 | -1][]; isOnNet?: true }> = {
  2: { rate: 7, accounts: [['1771', 1]] },
  3: { rate: 19, accounts: [['1776', 1]] },
  8: { rate: 7, accounts: [['1571', 1]] },
  9: { rate: 19, accounts: [['1576', 1]] },
  18: { rate: 7, isOnNet: true, accounts: [['1572', 1], ['1772', -1]] },
  19: { rate: 19, isOnNet: true, accounts: [['1572', 1], ['1772', -1]] },
  91: { rate: 7, isOnNet: true, accounts: [['1578', 1], ['1785', -1]] },
  foreign: { rate: NaN, accounts: [['1767', 1]] }, // the posting has the rate
  94: { rate: 19, isOnNet: true, accounts: [['1578', 1], ['1785', -1]] },
}; // prettier-ignore
const automatic: Record<string, string> = { 8400: '3', 8300: '2', 8320: 'foreign' };

/** The same as sumAccounts() once DATEV has computed VAT by keys and automatic accounts. */
export function sumTaxed(rows: ReadFile['rows']): Map<string, Decimal> {
  const sums = sumAccounts(rows);
  const add = (account: string, amount: Decimal): void =>
    void sums.set(account, (sums.get(account) ?? new Decimal(0)).plus(amount));
  for (const row of rows) {
    const contra = row['Gegenkonto (ohne BU-Schlüssel)'] ?? '';
    if (row['BU-Schlüssel'] === '40') continue; // VAT has a posting of its own
    const isContra = contra in automatic;
    const tax = taxes[automatic[contra] ?? row['BU-Schlüssel'] ?? ''];
    if (!tax) continue;
    const value = new Decimal((row['Umsatz (ohne Soll/Haben-Kz)'] ?? '').replace(',', '.'));
    const amount = (row['Soll/Haben-Kennzeichen'] === 'S') === isContra ? value.negated() : value;
    const rate = Number.isNaN(tax.rate) ? Number(row['EU-Steuersatz (Bestimmung)']?.replace(',', '.')) : tax.rate;
    const vat = amount
      .times(rate)
      .dividedBy(tax.isOnNet ? 100 : 100 + rate)
      .toDecimalPlaces(2, Decimal.ROUND_HALF_UP);
    for (const [account, sign] of tax.accounts) add(account, vat.times(sign));
    if (!tax.isOnNet) add(isContra ? contra : (row['Konto'] ?? ''), vat.negated());
  }
  return sums;
}

/** The balance of each account: debits less credits, of all postings. */
export function sumAccounts(rows: ReadFile['rows']): Map<string, Decimal> {
  const sums = new Map<string, Decimal>();
  const add = (account: string, amount: Decimal): void =>
    void sums.set(account, (sums.get(account) ?? new Decimal(0)).plus(amount));
  for (const row of rows) {
    const value = new Decimal((row['Umsatz (ohne Soll/Haben-Kz)'] ?? '').replace(',', '.'));
    const amount = row['Soll/Haben-Kennzeichen'] === 'S' ? value : value.negated();
    add(row['Konto'] ?? '', amount);
    add(row['Gegenkonto (ohne BU-Schlüssel)'] ?? '', amount.negated());
  }
  return sums;
}
