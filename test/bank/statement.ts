import type { Answer, Integrator, Service } from '../harness.ts';

// Statements as banks send them, and sending them in.

export interface Entry {
  amount: string;
  currency?: string;
  date?: string;
  valueDate?: string;
  id?: string;
  name?: string;
  iban?: string;
  reference?: string;
}

export const account = 'DE02120300000000202051';

const party = (sent: boolean, name?: string, iban?: string): string => {
  const tag = sent ? 'Cdtr' : 'Dbtr';
  const nameXml = name === undefined ? '' : `<${tag}><Nm>${name}</Nm></${tag}>`;
  return nameXml + (iban === undefined ? '' : `<${tag}Acct><Id><IBAN>${iban}</IBAN></Id></${tag}Acct>`);
};

export function entry({ amount, currency = 'EUR', date = '2026-03-02', ...rest }: Entry): string {
  const sent = amount.startsWith('-');
  return [
    `<Ntry><Amt Ccy="${currency}">${amount.replace('-', '')}</Amt><CdtDbtInd>${sent ? 'DBIT' : 'CRDT'}</CdtDbtInd>`,
    `<Sts>BOOK</Sts><BookgDt><Dt>${date}</Dt></BookgDt>`,
    rest.valueDate === undefined ? '' : `<ValDt><Dt>${rest.valueDate}</Dt></ValDt>`,
    rest.id === undefined ? '' : `<AcctSvcrRef>${rest.id}</AcctSvcrRef>`,
    `<NtryDtls><TxDtls><RltdPties>${party(sent, rest.name, rest.iban)}</RltdPties>`,
    rest.reference === undefined ? '' : `<RmtInf><Ustrd>${rest.reference}</Ustrd></RmtInf>`,
    '</TxDtls></NtryDtls></Ntry>\n',
  ].join('');
}

const head = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.04"><BkToCstmrStmt><Stmt>
<Acct><Id><IBAN>${account}</IBAN></Id></Acct>
`;
const foot = '</Stmt></BkToCstmrStmt></Document>\n';

/** A CAMT.053 of one statement. `balances` may say anything. */
export const camt = (entries: Entry[], balances = ''): string => head + balances + entries.map(entry).join('') + foot;

export const balance = (kind: 'OPBD' | 'CLBD', amount: string): string =>
  `<Bal><Tp><CdOrPrtry><Cd>${kind}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>\n`;

/** As many entries as wanted, all different. */
export const many = (count: number): Entry[] =>
  Array.from({ length: count }, (_, at) => ({
    amount: `${at % 3 === 0 ? '-' : ''}${(at % 900) + 1}.50`,
    id: `B${at}`,
    name: `Customer ${at}`,
    iban: 'FR7630006000011234567890189',
    reference: `Order ${100_000 + at}, with many thanks for everything that was delivered`,
  }));

export const document = `mutation ($file: Upload!, $format: StatementFormat, $csv: CsvMappingInput) {
  imported: importBankStatement(file: $file, format: $format, csv: $csv) { imported skipped matched warnings }
}`;

type Service_ = Pick<Service, 'url'>;

/** Sends a form to GraphQL. */
export async function send(
  { url }: Service_,
  body: BodyInit,
  headers: Record<string, string>,
  address = '/graphql',
): Promise<Answer> {
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body, headers, duplex: 'half' };
  const response = await fetch(new URL(address, url), init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text.startsWith('{') && JSON.parse(text) };
}

/** The form that the GraphQL multipart request specification wants. */
export function form(file: string | Uint8Array<ArrayBuffer> | undefined, variables: object = {}): FormData {
  const data = new FormData();
  data.append('operations', JSON.stringify({ query: document, variables: { file: null, ...variables } }));
  data.append('map', JSON.stringify({ statement: ['variables.file'] }));
  if (file !== undefined) data.append('statement', new Blob([file]), 'statement.xml');
  return data;
}

/** The result of uploading a statement. */
export const upload = (
  service: Service_,
  { token }: Pick<Integrator, 'token'>,
  file: string | Uint8Array<ArrayBuffer>,
  variables: object = {},
): Promise<Answer> => send(service, form(file, variables), { authorization: `Bearer ${token}` });

export interface Imported {
  imported: number;
  skipped: number;
  matched: number;
  warnings: string[];
}

/** The same, where nothing must go wrong. */
export async function imported(...args: Parameters<typeof upload>): Promise<Imported> {
  const { body, text } = await upload(...args);
  if (!body || body.errors) throw new Error(text);
  return body.data.imported;
}
