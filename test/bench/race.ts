import { deepStrictEqual } from 'node:assert/strict';
import { median, type Bench, type Row, type Work } from './bench.ts';
import type { ContenderName, Running } from './contenders.ts';
import { contentOf } from './content.ts';
import type { Tenant } from './database.ts';
import type { Question } from './dialects.ts';

/** Ids and words to ask for, spread over a tenant. */
export interface Sample {
  invoices: string[];
  customers: string[];
  /** Those with many invoices. */
  busyCustomers: string[];
  lastPage: number;
}

export interface Race {
  name: string;
  /** Of the tenant it is run in. */
  size: number;
  questions: (sample: Sample) => Question[];
  /** Ours first. */
  contenders: [ContenderName, ...ContenderName[]];
  /** By contender, what ours must reach; a ratio without a goal is shown all the same. */
  goals?: Partial<Record<ContenderName, number>>;
}

/** The same questions to all, the same load on all, in turns. */
export const race = ({ name, size, questions, contenders, goals = {} }: Race): Work => ({
  name,
  large: size > 100_000,
  async run(bench) {
    const tenant = bench.tenant(size);
    const asked = questions(await sampleOf(bench, tenant));
    const entrants = await Promise.all(contenders.map((key) => bench.contender(key)));
    await compare(entrants, asked.slice(0, 20), tenant);
    const rates = await measure(
      bench,
      name,
      entrants.map((entrant) => ({ name: entrant.name, order: orderOf(entrant, asked, tenant) })),
    );
    const [ours = NaN, ...theirs] = rates;
    return theirs.map((rate, at): Row => {
      const key = contenders[at + 1]!;
      const goal = goals[key];
      const [us, them] = [ours, rate].map(perSecond);
      return {
        work: name,
        against: entrants[at + 1]!.name,
        ours: us!,
        theirs: them!,
        ratio: ours / rate,
        ...(goal !== undefined && { goal }),
      };
    });
  },
});

/** Requests per second of each entrant: the median of the rounds, after one to warm up. */
export async function measure(
  bench: Bench,
  work: string,
  entrants: { name: string; order: ReturnType<typeof orderOf> }[],
): Promise<number[]> {
  const rates = entrants.map((): number[] => []);
  const amounts: number[] = [];
  for (const { name, order } of entrants) amounts.push(await bench.warmUp(name, order));
  for (let round = 0; round < bench.pace.rounds; round++) {
    for (const at of entrants.keys()) {
      const turn = (at + round) % entrants.length;
      const { name, order } = entrants[turn]!;
      bench.say(`${work}: ${name}, round ${round + 1} of ${bench.pace.rounds}`);
      rates[turn]!.push(await bench.load(name, order, amounts[turn]!));
    }
  }
  return rates.map(median);
}

/** A question to each token in turn. */
export function orderOf({ url, dialect }: Running, questions: Question[], { id, tokens }: Tenant) {
  const length = Math.max(questions.length, tokens.length);
  const requests = Array.from({ length }, (_, at) => {
    const { method, path, body } = dialect.ask(questions[at % questions.length]!, id);
    const headers = { authorization: `Bearer ${tokens[at % tokens.length]}`, 'content-type': 'application/json' };
    return { method, path, ...(body ? { headers, body: JSON.stringify(body) } : { headers }) };
  });
  return { urls: [url], requests };
}

/** Asks everybody the same: whoever answers otherwise than the first ends the run. */
async function compare(entrants: Running[], questions: Question[], tenant: Tenant): Promise<void> {
  for (const question of questions) {
    const answers = await Promise.all(entrants.map((entrant) => answerOf(entrant, question, tenant)));
    for (const [at, { name }] of entrants.entries()) {
      const [expected, actual] = [answers[0], answers[at]].map((answer) =>
        contentOf(answer, question.ask === 'createInvoice'),
      );
      deepStrictEqual(
        actual,
        expected,
        `${name} answers ${JSON.stringify(question)} otherwise than ${entrants[0]?.name}`,
      );
    }
  }
}

export async function answerOf({ name, url, dialect }: Running, question: Question, tenant: Tenant): Promise<unknown> {
  const { method, path, body } = dialect.ask(question, tenant.id);
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${tenant.tokens[0]}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok || text.includes('"errors"')) throw new Error(`${name}: ${response.status} to ${path}: ${text}`);
  return dialect.read(JSON.parse(text), question);
}

async function sampleOf({ database: { pool } }: Bench, { id }: Tenant): Promise<Sample> {
  const ids = async (sql: string): Promise<string[]> =>
    (await pool.query<{ id: string }>(sql, [id])).rows.map((row) => row.id);
  const counted = await pool.query<{ count: number }>('select count(*)::int from customers where tenant_id = $1', [id]);
  return {
    invoices: await ids('select id from invoices where tenant_id = $1 order by md5(id::text) limit 500'),
    customers: await ids('select id from customers where tenant_id = $1 order by md5(id::text) limit 500'),
    busyCustomers: await ids(
      'select customer_id as id from invoices where tenant_id = $1 group by 1 order by count(*) desc, 1 limit 100',
    ),
    lastPage: Math.ceil((counted.rows[0]?.count ?? 0) / 25),
  };
}

export const perSecond = (rate: number): string => `${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`;
