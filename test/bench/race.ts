import { deepStrictEqual } from 'node:assert/strict';
import {
  manyConnections,
  median,
  usualConnections,
  type Bench,
  type Figures,
  type Measured,
  type ComparisonRow,
  type Traffic,
  type Work,
} from './bench.ts';
import type { ContenderName, Running } from './contenders.ts';
import { readContent } from './content.ts';
import type { Tenant } from './database.ts';
import type { Question } from './dialects.ts';
import type { Latency } from './load.ts';

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
    const asked = questions(await findSample(bench, tenant));
    const entrants = await Promise.all(contenders.map((key) => bench.contender(key)));
    await compare(entrants, asked.slice(0, 20), tenant);
    const [ours, ...theirs] = await measure(
      bench,
      name,
      entrants.map((entrant) => ({ name: entrant.name, traffic: trafficTo(entrant, asked, tenant) })),
    );
    return theirs.flatMap((figures, at): ComparisonRow[] => {
      const key = contenders[at + 1]!;
      const rates = compareRates(figures.contender, ours!, figures, goals[key]);
      return key === 'fastifyPg' ? [rates, ...compareTails(ours!, figures)] : [rates];
    });
  },
});

export function compareRates(against: string, ours: Figures, theirs: Figures, goal?: number): ComparisonRow {
  return {
    work: ours.work,
    against,
    ours: perSecond(ours.perSecond),
    theirs: perSecond(theirs.perSecond),
    ratio: ours.perSecond / theirs.perSecond,
    ...(goal !== undefined && { goal }),
  };
}

/** The answers that take long, and the one that takes longest. */
const compareTails = (ours: Figures, theirs: Figures): ComparisonRow[] => [
  ...(['latency', 'crowded'] as const)
    .filter((at) => theirs[at].p99 > 0) // or the other answered nothing in time
    .map((at) => ({
      work: `${ours.work}: p99 at ${at === 'latency' ? usualConnections : manyConnections} connections`,
      against: theirs.contender,
      ours: milliseconds(ours[at].p99),
      theirs: milliseconds(theirs[at].p99),
      ratio: ours[at].p99 / theirs[at].p99,
      goal: 1.5,
      atMost: 1.5,
    })),
  worstRow(`${ours.work}: worst`, ours.latency.worst),
];

export const worstRow = (work: string, ms: number): ComparisonRow => ({
  work,
  against: '–',
  ours: milliseconds(ms),
  theirs: '',
  ratio: ms,
  goal: 250,
  atMost: 250,
});

/** The figures of each entrant with few connections and with many, in rounds that take turns. */
export async function measure(
  bench: Bench,
  work: string,
  entrants: { name: string; traffic: Traffic }[],
): Promise<Figures[]> {
  const { rounds, seconds, crowdedSeconds } = bench.pace;
  const measured = entrants.map(() => ({ usual: [] as Measured[], crowded: [] as Measured[] }));
  for (let round = 0; round < rounds; round++) {
    for (const at of entrants.keys()) {
      const turn = (at + round) % entrants.length;
      const { name, traffic } = entrants[turn]!;
      const { usual, crowded } = measured[turn]!;
      bench.say(`${work}: ${name}, round ${round + 1} of ${rounds}`);
      await bench.warmUp(work, traffic);
      usual.push(await bench.load(name, traffic, { seconds }));
      crowded.push(await bench.load(name, traffic, { seconds: crowdedSeconds, connections: manyConnections }));
    }
  }
  const figures = entrants.map(({ name }, at): Figures => {
    const { usual, crowded } = measured[at]!;
    return {
      work,
      contender: name,
      perSecond: median(usual.map((round) => round.perSecond)),
      latency: computeLatency(usual),
      crowded: computeLatency(crowded),
      cpu: {
        node: median(usual.map(({ cpu }) => cpu.node)),
        postgres: median(usual.map(({ cpu }) => cpu.postgres)),
      },
    };
  });
  bench.figures.push(...figures);
  return figures;
}

const computeLatency = (rounds: Measured[]): Latency => ({
  median: median(rounds.map(({ latency }) => latency.median)),
  p99: median(rounds.map(({ latency }) => latency.p99)),
  worst: Math.max(...rounds.map(({ latency }) => latency.worst)),
});

/** A question to each token in turn. */
export function trafficTo(running: Running, questions: Question[], { id, tokens }: Tenant): Traffic {
  const length = Math.max(questions.length, tokens.length);
  const requests = Array.from({ length }, (_, at) => ({
    ...running.dialect.ask(questions[at % questions.length]!, id),
    token: tokens[at % tokens.length]!,
  }));
  return { to: [running], requests };
}

/** Asks everybody the same: whoever answers otherwise than the first ends the run. */
async function compare(entrants: Running[], questions: Question[], tenant: Tenant): Promise<void> {
  for (const question of questions) {
    const answers = await Promise.all(entrants.map((entrant) => fetchContent(entrant, question, tenant)));
    for (const [at, { name }] of entrants.entries()) {
      const [expected, actual] = [answers[0], answers[at]].map((answer) =>
        readContent(answer, question.ask === 'createInvoice'),
      );
      deepStrictEqual(
        actual,
        expected,
        `${name} answers ${JSON.stringify(question)} otherwise than ${entrants[0]?.name}`,
      );
    }
  }
}

export async function fetchContent(
  { name, url, dialect }: Running,
  question: Question,
  tenant: Tenant,
): Promise<unknown> {
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

export async function findSample({ database: { pool } }: Bench, { id }: Tenant): Promise<Sample> {
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

export const milliseconds = (ms: number): string => `${ms.toFixed(1)} ms`;
