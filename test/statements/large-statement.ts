import { readStatement, type CsvMapping } from '../../schema/bank-statements/parsers/statement.ts';
import { withOccurrence } from '../../schema/bank-statements/parsers/identity.ts';

// Generates and reads a large statement, and prints the time and memory used. It runs in its own process, with
// --expose-gc: `node --expose-gc large-statement.ts camt053 100000`.

const [format = 'camt053', count = '100000'] = process.argv.slice(2);
const entries = Number(count);

const csv: CsvMapping = {
  dateFormat: 'YYYY-MM-DD',
  decimalSeparator: '.',
  accountIban: 'DE89370400440532013000',
  currency: 'EUR',
  columns: { bookingDate: 'date', amount: 'amount', counterpartyName: 'name', reference: 'text' },
};

const text = (at: number) => `Invoice 2026-${at}, with many thanks for everything that was delivered`;

const detail = (at: number) =>
  `<TxDtls><Refs><AcctSvcrRef>B${at}</AcctSvcrRef><EndToEndId>E${at}</EndToEndId></Refs><Amt Ccy="EUR">1</Amt>` +
  `<RltdPties><Dbtr><Pty><Nm>Customer ${at}</Nm></Pty></Dbtr><DbtrAcct><Id><IBAN>FR763000600001123456</IBAN></Id></DbtrAcct>` +
  `</RltdPties><RmtInf><Ustrd>${text(at)}</Ustrd></RmtInf></TxDtls>`;
const status = '<CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-03-02</Dt></BookgDt>';
const camt = [
  '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Acct><Id><IBAN>DE1</IBAN></Id></Acct>',
  '</Stmt></BkToCstmrStmt></Document>',
] as const;

interface Shape {
  head: string;
  entry: (at: number) => string;
  foot: string;
}

const shapes: Record<string, Shape> = {
  camt053: {
    head: camt[0],
    entry: (at) => `<Ntry><Amt Ccy="EUR">1</Amt>${status}<NtryDtls>${detail(at)}</NtryDtls></Ntry>\n`,
    foot: camt[1],
  },
  batch: {
    head: `${camt[0]}<Ntry><Amt Ccy="EUR">${entries}</Amt>${status}<NtryDtls>`,
    entry: detail,
    foot: `</NtryDtls></Ntry>${camt[1]}`,
  },
  mt940: {
    head: ':20:1\n:25:DE1\n:28C:1\n:60F:C260302EUR0,\n',
    entry: (at) =>
      `:61:2603020302C1,NTRFNONREF//B${at}\n:86:166?00GUTSCHRIFT?20EREF+E${at}?21SVWZ+Invoice 2026-${at}?22thanks ` +
      `for?23everything?24delivered?30COBADEFF?31FR763000600001123456?32Customer ${at}\n${'more text '.repeat(30)}\n`,
    foot: `:62F:C260302EUR${entries},\n-\n`,
  },
  csv: {
    head: 'date,amount,name,text\n',
    entry: (at) => `2026-03-02,1.00,Customer ${at},"${text(at).repeat(7)}"\n`,
    foot: '',
  },
};

let size = 0;

async function* bytes({ head, entry, foot }: Shape) {
  let part = head;
  for (let at = 0; at < entries; at += 1) {
    part += entry(at);
    if (part.length < 65_536) continue;
    size += part.length;
    yield Buffer.from(part);
    part = '';
  }
  yield Buffer.from(part + foot);
}

const shape = shapes[format];
if (!shape) throw new Error(`no such format: ${format}`);

const used = (): number => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const before = used();
let peak = 0;
let transactions = 0;
let measuring = 0;
const start = performance.now();
const identify = withOccurrence();
for await (const transaction of readStatement(bytes(shape), { csv })) {
  identify(transaction);
  transactions += 1;
  if (transactions % 10_000 !== 1) continue;
  const measured = performance.now();
  peak = Math.max(peak, used() - before);
  measuring += performance.now() - measured;
}
const seconds = (performance.now() - start - measuring) / 1000;
process.stdout.write(
  JSON.stringify({
    transactions,
    megabytes: size / 1e6,
    grownBy: peak / 1e6,
    seconds,
    residentAtMost: process.resourceUsage().maxRSS / 1e3,
  }),
);
