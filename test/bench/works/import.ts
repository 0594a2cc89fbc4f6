import type { Bench, ComparisonRow, Work } from '../bench.ts';

const entries = 100_000;
const document = `mutation ($file: Upload!) { imported: importBankStatement(file: $file) { imported skipped } }`;

/** A statement of 100,000 entries through the whole service: uploaded, read, written with its events; and once more. */
export const importStatement: Work = {
  name: `import a bank statement of ${entries} entries`,
  long: true,
  async run(bench) {
    const file = statement();
    bench.say(`${this.name}: all of them new`);
    const first = await upload(bench, file, { imported: entries, skipped: 0 });
    bench.say(`${this.name}: all of them known`);
    const again = await upload(bench, file, { imported: 0, skipped: entries });
    return [row(`${this.name}, s`, first, 60), row('the same again, all of them known, s', again, 12)];
  },
};

const row = (work: string, seconds: number, atMost: number): ComparisonRow => ({
  work,
  against: '–',
  ours: `${seconds.toFixed(1)} s`,
  theirs: '',
  ratio: seconds,
  goal: atMost,
  atMost,
});

/** @returns the seconds until it was answered */
async function upload(bench: Bench, file: Blob, expected: object): Promise<number> {
  const { url } = await bench.contender('kontorGraphql');
  const [token] = bench.tenant(0).tokens;
  const body = new FormData();
  body.append('operations', JSON.stringify({ query: document, variables: { file: null } }));
  body.append('map', '{"statement": ["variables.file"]}');
  body.append('statement', file, 'statement.xml');
  const start = performance.now();
  const answer = await fetch(`${url}/graphql`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body });
  const text = await answer.text();
  const seconds = (performance.now() - start) / 1000;
  if (text !== JSON.stringify({ data: { imported: expected } })) throw new Error(`The import was answered ${text}`);
  return seconds;
}

/** Entries that this run alone has: an earlier one's are known. */
function statement(): Blob {
  const run = Date.now();
  const entry = (at: number): string =>
    `<Ntry><Amt Ccy="EUR">${(at % 900) + 1}.50</Amt><CdtDbtInd>${at % 3 === 0 ? 'DBIT' : 'CRDT'}</CdtDbtInd><Sts>BOOK</Sts>` +
    `<BookgDt><Dt>2026-03-02</Dt></BookgDt><AcctSvcrRef>B${run}-${at}</AcctSvcrRef><NtryDtls><TxDtls><RltdPties>` +
    `<Dbtr><Nm>Customer ${at}</Nm></Dbtr><DbtrAcct><Id><IBAN>FR7630006000011234567890189</IBAN></Id></DbtrAcct></RltdPties>` +
    `<RmtInf><Ustrd>Order ${100_000 + at}, with many thanks for everything that was delivered</Ustrd></RmtInf>` +
    '</TxDtls></NtryDtls></Ntry>\n';
  return new Blob([
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.04"><BkToCstmrStmt><Stmt>',
    '<Acct><Id><IBAN>DE02120300000000202051</IBAN></Id></Acct>\n',
    ...Array.from({ length: entries }, (_, at) => entry(at)),
    '</Stmt></BkToCstmrStmt></Document>\n',
  ]);
}
