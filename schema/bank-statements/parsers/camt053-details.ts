import type { Decimal } from '../../money/decimal.ts';
import { parseId, trimText } from './transaction.ts';

/** An element's wanted contents by path, each as often as it occurs. */
export type Fields = Map<string, string[]>;

/** The first content of the first of these paths that has any. */
export function first(fields: Fields, ...paths: string[]): string | null {
  for (const path of paths) {
    const value = fields.get(path)?.[0];
    if (value !== undefined) return value;
  }
  return null;
}

const both = (...paths: string[]): string[] => paths.flatMap((path) => [`Dbtr${path}`, `Cdtr${path}`]);

// Amounts in the order of what they mean for the account: booked; of the transaction; converted; as instructed. Version
// 02 has AmtDtls only, and from 08 on a party is a choice of a person (Pty) or a bank (Agt).
const amountPaths = ['Amt', 'AmtDtls/TxAmt/Amt', 'AmtDtls/CntrValAmt/Amt', 'AmtDtls/InstdAmt/Amt'];
const namePaths = (party: string): string[] =>
  ['Nm', 'Pty/Nm', 'Agt/FinInstnId/Nm'].map((path) => `RltdPties/${party}/${path}`);
const structuredPaths = ['RmtInf/Strd/CdtrRefInf/Ref', 'RmtInf/Strd/RfrdDocInf/Nb'];

/** The paths that are read from a TxDtls. */
export const detailFields = [
  ...amountPaths,
  'CdtDbtInd',
  'Refs/AcctSvcrRef',
  'Refs/EndToEndId',
  ...structuredPaths,
  'RmtInf/Strd/AddtlRmtInf',
  'RmtInf/Ustrd',
  'AddtlTxInf',
  ...['Dbtr', 'Cdtr', 'UltmtDbtr', 'UltmtCdtr'].flatMap(namePaths),
  ...both('Acct/Id/IBAN', 'Acct/Id/Othr/Id').map((path) => `RltdPties/${path}`),
];

/** Elements of which all occurrences are read, and not only the first. The same applies to an entry's AddtlNtryInf. */
export const listFields = new Set([
  ...structuredPaths,
  'RmtInf/Strd/AddtlRmtInf',
  'RmtInf/Ustrd',
  'AddtlTxInf',
  'AddtlNtryInf',
]);

const number = /^(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})$/;

/** Whether a text is an amount. Amounts of ISO 20022 have no sign. */
export const isAmount = (text: string): boolean => number.test(text);

interface Party {
  name: string | null;
  account: string | null;
}

/** The data of a TxDtls that is kept. A batch may have a hundred thousand of them. Can be written as JSON. */
export interface Detail {
  /** By currency, the best first. */
  amounts: [currency: string, amount: string][];
  direction: string | null;
  externalId: string | null;
  endToEndId: string | null;
  structured: string[];
  text: string | null;
  additional: string | null;
  debtor: Party;
  creditor: Party;
}

export function readDetail(fields: Fields): Detail {
  const party = (name: 'Dbtr' | 'Cdtr'): Party => ({
    name: first(fields, ...namePaths(name), ...namePaths(`Ultmt${name}`)),
    account: first(fields, `RltdPties/${name}Acct/Id/IBAN`, `RltdPties/${name}Acct/Id/Othr/Id`),
  });
  const direction = first(fields, 'CdtDbtInd');
  return {
    amounts: amountPaths.flatMap((path) => {
      const amount = first(fields, path);
      return amount === null ? [] : [[first(fields, `${path}/@Ccy`) ?? '', amount] as [string, string]];
    }),
    direction: direction === 'CRDT' || direction === 'DBIT' ? direction : null,
    externalId: parseId(fields.get('Refs/AcctSvcrRef')?.[0]),
    endToEndId: parseId(fields.get('Refs/EndToEndId')?.[0]),
    structured: structuredPaths.flatMap((path) => fields.get(path) ?? []),
    text: lines([...(fields.get('RmtInf/Ustrd') ?? []), ...(fields.get('RmtInf/Strd/AddtlRmtInf') ?? [])]),
    additional: trimText(fields.get('AddtlTxInf')?.join(' ')),
    debtor: party('Dbtr'),
    creditor: party('Cdtr'),
  };
}

/** Joins lines to one text. A line has at most 140 characters: a full line was cut, and is joined without a space. */
function lines(texts: string[]): string | null {
  let whole = '';
  let previous = '';
  for (const text of texts) {
    whole += previous === '' || previous.length >= 140 ? text : ` ${text}`;
    previous = text;
  }
  return trimText(whole);
}

/**
 * The counterparty: for money received the debtor, for money sent the creditor. A reversal names the parties of the
 * payment that it undoes, so it is the other way round. Some returns lack the reversal indicator: therefore a party with
 * the statement's own account is never the counterparty.
 */
export function findCounterparty(
  detail: Detail,
  entry: { accountIban: string; amount: Decimal; isReversal: boolean },
): { counterpartyName: string | null; counterpartyIban: string | null } {
  const isReceived = !entry.amount.isNegative();
  const [likely, other] =
    isReceived === entry.isReversal ? [detail.creditor, detail.debtor] : [detail.debtor, detail.creditor];
  const isOwn = likely.account === entry.accountIban && other.account !== entry.accountIban;
  const isOther = isOwn || (entry.isReversal && !isNamed(likely));
  const party = isOther && isNamed(other) ? other : likely;
  return { counterpartyName: party.name, counterpartyIban: party.account };
}

const isNamed = (party: Party): boolean => party.name !== null || party.account !== null;
