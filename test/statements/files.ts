import { readFile } from 'node:fs/promises';
import { formatDay } from '../../schema/graphql/scalars/scalars.ts';
import {
  readStatement,
  type StatementOptions,
  type StatementTransaction,
} from '../../schema/bank-statements/parsers/statement.ts';

/** A transaction in readable form. */
export const plain = (transaction: StatementTransaction) => ({
  ...transaction,
  bookingDate: formatDay(transaction.bookingDate),
  valueDate: transaction.valueDate && formatDay(transaction.valueDate),
  amount: transaction.amount.toFixed(),
});

type Plain = ReturnType<typeof plain>;

/** A transaction with only these fields. */
export const transaction = (known: Partial<Plain>): Plain => ({
  accountIban: 'DE89370400440532013000',
  bookingDate: '2026-03-02',
  valueDate: null,
  amount: '10',
  currency: 'EUR',
  externalId: null,
  counterpartyName: null,
  counterpartyIban: null,
  reference: null,
  ...known,
});

/** Splits bytes into chunks of `size`, as a network does. */
export async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

export async function readAll(file: string | Uint8Array, options: StatementOptions & { size?: number } = {}) {
  const { size = 7919, ...rest } = options;
  const transactions: StatementTransaction[] = [];
  const warnings: string[] = [];
  const source = pieces(typeof file === 'string' ? Buffer.from(file) : file, size);
  for await (const one of readStatement(source, { warn: (warning) => warnings.push(warning), ...rest }))
    transactions.push(one);
  return { transactions, warnings };
}

/** A file's transactions in a form that tests can compare. */
export const read = async (file: string | Uint8Array, options?: StatementOptions & { size?: number }) =>
  (await readAll(file, options)).transactions.map(plain);

export const readWarnings = async (file: string | Uint8Array, options?: StatementOptions) =>
  (await readAll(file, options)).warnings;

export const sample = (path: string): Promise<Buffer> => readFile(new URL(`samples/${path}`, import.meta.url));

interface CamtOptions {
  version?: string;
  account?: string;
  balances?: string;
  /** Text before `Document`. */
  head?: string;
}

/** A camt.053 file with one statement of these entries. */
export function camt(entries: string, options: CamtOptions = {}): string {
  const {
    version = '02',
    account = '<Id><IBAN>DE89370400440532013000</IBAN></Id>',
    balances = '',
    head = '',
  } = options;
  return (
    `<?xml version="1.0" encoding="UTF-8"?>\n${head}` +
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt>\n` +
    `<GrpHdr><MsgId>1</MsgId><CreDtTm>2026-03-02T08:00:00</CreDtTm></GrpHdr>\n` +
    `<Stmt><Id>1</Id><Acct>${account}</Acct>${balances}\n${entries}\n</Stmt></BkToCstmrStmt></Document>\n`
  );
}

interface EntryOptions {
  amount?: string;
  currency?: string;
  direction?: string;
  status?: string;
  dates?: string;
  /** Elements between the dates and the details. */
  more?: string;
  details?: string;
}

/** An `Ntry`, by default of +10 EUR on 2 March 2026. */
export function entry(options: EntryOptions = {}): string {
  const { amount = '10.00', currency = 'EUR', direction = 'CRDT', status = 'BOOK', more = '', details = '' } = options;
  const { dates = '<BookgDt><Dt>2026-03-02</Dt></BookgDt>' } = options;
  return (
    `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd><Sts>${status}</Sts>` +
    `${dates}${more}${details && `<NtryDtls>${details}</NtryDtls>`}</Ntry>`
  );
}
