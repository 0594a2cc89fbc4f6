import { strictEqual } from 'node:assert/strict';
import { Agent, request } from 'undici';
import { median, type Bench, type Work } from '../bench.ts';
import { trafficTo } from '../race.ts';

interface Triggers {
  name: string;
  /** The tables, and the trigger of each. */
  triggers: [table: string, trigger: string][];
  atMost: number;
}

/** The CPU time of service and database that triggers take when an invoice is created. */
const costOf = ({ name, triggers, atMost }: Triggers): Work => ({
  name,
  async run(bench) {
    const { pool } = bench.database;
    const tenant = bench.tenant(0);
    const kontor = await bench.contender('kontorRest');
    const found = await pool.query<{ id: string }>('select id from customers where tenant_id = $1 limit 1', [
      tenant.id,
    ]);
    const traffic = trafficTo(kontor, [{ ask: 'createInvoice', customerId: found.rows[0]!.id }], tenant);
    await bench.warmUp(name, traffic);
    const cpuPerRequest = async (isOn: boolean): Promise<number> => {
      for (const [table, trigger] of triggers)
        await pool.query(`alter table ${table} ${isOn ? 'enable' : 'disable'} trigger ${trigger}`);
      const { cpu } = await bench.load(name, traffic);
      return cpu.node + cpu.postgres;
    };
    const figures: { on: number; off: number }[] = [];
    for (let round = 0; round < 2 * bench.pace.rounds; round++) {
      bench.say(`${name}: round ${round + 1}`);
      const off = await cpuPerRequest(false);
      figures.push({ off, on: await cpuPerRequest(true) });
    }
    const [ours, theirs] = [median(figures.map(({ on }) => on)), median(figures.map(({ off }) => off))];
    const [on, off] = [ours, theirs].map((ms) => `${ms.toFixed(2)} ms`);
    const row = { work: name, against: 'itself without', ours: on!, theirs: off! };
    return [{ ...row, ratio: ours / theirs, goal: atMost, atMost }];
  },
});

export const changeFeedCost = costOf({
  name: 'REST create invoice, CPU time with the change feed against without',
  triggers: [['invoices', 'record_change']],
  atMost: 1.05,
});

export const auditLogCost = costOf({
  name: 'REST create invoice, CPU time with the audit log against without',
  triggers: [
    ['invoices', 'record_audit'],
    ['invoice_items', 'record_audit'],
  ],
  atMost: 1.1,
});

const pageSize = 100;
const stretch = 50;

/** The first pages of the feed against the last ones. */
export const changesOfMillion: Work = {
  name: 'REST change feed, last pages against first, 1,000,000 resources of a kind',
  large: true,
  async run(bench) {
    const { url } = await bench.contender('kontorRest');
    const { id } = bench.tenant(1_000_000);
    const late = await bench.database.pool.query<{ position: string }>(
      `select position::text from changes where tenant_id = $1 and resource = 'customer' order by changes.position desc
       offset $2 limit 1`,
      [id, stretch * pageSize],
    );
    const [head] = await read(bench, url, undefined, 1);
    // A cursor is its position and what belongs to every cursor.
    const [, ...rest] = JSON.parse(Buffer.from(head!.cursor, 'base64url').toString()) as unknown[];
    const end = Buffer.from(JSON.stringify([late.rows[0]!.position, ...rest])).toString('base64url');
    const [first, last]: [number[], number[]] = [[], []];
    for (let round = 0; round < bench.pace.rounds; round++) {
      bench.say(`${this.name}: round ${round + 1}`);
      first.push(...(await read(bench, url, undefined, stretch)).map(({ ms }) => ms));
      last.push(...(await read(bench, url, end, stretch)).map(({ ms }) => ms));
    }
    const [ours, theirs] = [last, first].map((times) => `${median(times).toFixed(1)} ms`);
    const ratio = median(last) / median(first);
    return [{ work: this.name, against: 'itself, time', ours: ours!, theirs: theirs!, ratio, goal: 1.3, atMost: 1.3 }];
  },
};

const agent = new Agent({ connections: 1 });

/** Reads pages, each of them full. */
async function read(
  bench: Bench,
  url: string,
  since: string | undefined,
  pages: number,
): Promise<{ ms: number; cursor: string }[]> {
  const authorization = `Bearer ${bench.tenant(1_000_000).tokens[0]}`;
  const answers: { ms: number; cursor: string }[] = [];
  let cursor = since;
  while (answers.length < pages) {
    const start = performance.now();
    const address = `${url}/api/v1/changes?resource=customer&limit=${pageSize}${cursor ? `&since=${cursor}` : ''}`;
    const { statusCode, body } = await request(address, { headers: { authorization }, dispatcher: agent });
    const text = await body.text();
    const ms = performance.now() - start;
    strictEqual(statusCode, 200, `${address}: ${text}`);
    const { data, meta } = JSON.parse(text) as { data: unknown[]; meta: { cursor: string } };
    strictEqual(data.length, pageSize, `${address}: changes`);
    ({ cursor } = meta);
    answers.push({ ms, cursor });
  }
  return answers;
}
