import { strictEqual } from 'node:assert/strict';
import { Agent, request } from 'undici';
import { median, type Bench, type Work } from '../bench.ts';
import type { Running } from '../contenders.ts';
import { perSecond } from '../race.ts';

interface Answer {
  data: { id: string }[];
  links: { next: string | null };
  meta: { last_page: number };
}

const list = '/api/v1/customers?per_page=100';
const stretch = 50;

/** Every page by links.next: each row once, none left out. */
export const walkAll: Work = {
  name: 'REST walk every page by links.next',
  async run(bench) {
    const contenders = [await bench.contender('kontorRest'), await bench.contender('fastifyPg')];
    const [ours = NaN, theirs = NaN] = await eachInTurn(contenders, async ({ name, url }) => {
      bench.say(`${this.name}: ${name}`);
      const { times, ids } = await walk(bench, 100_000, url + list);
      strictEqual(ids.size, 100_000, `${name}: rows seen`);
      return (times.length * 1000) / times.reduce((sum, ms) => sum + ms, 0);
    });
    const rates = { ours: perSecond(ours), theirs: perSecond(theirs), ratio: ours / theirs };
    return [{ work: this.name, against: contenders[1]!.name, ...rates }];
  },
};

/** The first pages, and the last: those before them are what makes OFFSET slow. */
export const walkMillion: Work = {
  name: 'REST walk by links.next, last page against first, 1,000,000 rows',
  large: true,
  async run(bench) {
    const { url } = await bench.contender('kontorRest');
    const { last } = await walk(bench, 1_000_000, url + list, 1);
    const [first, final]: [number[], number[]] = [[], []];
    for (let round = 0; round < bench.pace.rounds; round++) {
      bench.say(`${this.name}: round ${round + 1}`);
      first.push(...(await walk(bench, 1_000_000, url + list, stretch)).times);
      // The page that is asked for by its number is not the walk's.
      const [, ...times] = (await walk(bench, 1_000_000, `${url}${list}&page=${last - stretch}`)).times;
      final.push(...times);
    }
    const [ours, theirs] = [final, first].map((times) => `${median(times).toFixed(1)} ms`);
    const ratio = median(final) / median(first);
    return [{ work: this.name, against: 'itself, time', ours: ours!, theirs: theirs!, ratio, goal: 1.3, atMost: 1.3 }];
  },
};

async function eachInTurn(contenders: Running[], work: (contender: Running) => Promise<number>): Promise<number[]> {
  const results: number[] = [];
  for (const contender of contenders) results.push(await work(contender));
  return results;
}

const agent = new Agent({ connections: 1 });

/** Milliseconds of each page; parsing it is not the server's work. */
async function walk(bench: Bench, size: number, from: string, atMost = Infinity) {
  const authorization = `Bearer ${bench.tenant(size).tokens[0]}`;
  const times: number[] = [];
  const ids = new Set<string>();
  let last = 0;
  const page = async (address: string): Promise<Answer> => {
    const start = performance.now();
    const { statusCode, body } = await request(address, { headers: { authorization }, dispatcher: agent });
    const text = await body.text();
    times.push(performance.now() - start);
    strictEqual(statusCode, 200, `${address}: ${text}`);
    return JSON.parse(text) as Answer;
  };
  let next: string | null = from;
  while (next !== null && times.length < atMost) {
    const answer: Answer = await page(next);
    for (const { id } of answer.data) ids.add(id);
    last = answer.meta.last_page;
    next = answer.links.next;
  }
  return { times, ids, last };
}
