import { describe, expect, it } from 'vitest';
import type { Answer } from '../harness.ts';
import { operations, description } from '../openapi/description.ts';
import * as sample from '../rest/samples.ts';
import { setStage } from './actors.ts';
import { listUnallowed, readAllowed } from './allowed.ts';
import { Comparison, toComparable } from './comparable.ts';
import { readOf, versions, writeOnce } from './descriptions.ts';
import { read, send, toAnswered, write, type Answered, type Exchange } from './exchanges.ts';
import { liveByRest } from './life-by-rest.ts';
import { liveInTestTenant } from './life-in-test-tenant.ts';
import { record, type Rest } from './life.ts';

// Each version's requests are asked again, and answered as then. CONTRIBUTING.md says how they are recorded.

const exchangesFile = 'exchanges.jsonl';

interface Difference {
  /** For allowed.json. */
  change: string;
  now: string;
}

/** Asks all of it once more, of a new service. */
async function replay(exchanges: readonly Exchange[]): Promise<Difference[]> {
  const stage = await setStage();
  const comparison = new Comparison();
  const found: Difference[] = [];
  try {
    for (const each of exchanges) {
      if ('event' in each) {
        await stage.happen(each.event);
        continue;
      }
      const { asked, answered } = each;
      const now = toAnswered(await send(stage.service, comparison.fill(asked), stage.tokens));
      const about = `${asked.method} ${asked.path}${asked.path === '/graphql' ? ` ${JSON.stringify(asked.body)}` : ''}`;
      for (const { at, was, now: value } of comparison.differences(answered, now))
        found.push({ change: `answer: ${about}: ${at} was ${was}`, now: value });
    }
  } finally {
    await stage.service.close();
  }
  return found;
}

it.each(versions)('this version answers as version %s did', async (version) => {
  const found = await replay(read(readOf(version, exchangesFile)));
  const unallowed = new Set(
    listUnallowed(
      found.map(({ change }) => change),
      readAllowed(),
    ),
  );
  expect(found.filter(({ change }) => unallowed.has(change))).toEqual([]);
});

it.runIf(process.env['RECORD'])('records what this version answers', async () => {
  // A value that isn't the same both times isn't promised.
  const lives = [];
  for (const _time of [1, 2]) {
    const stage = await setStage();
    lives.push(await record(stage));
    await stage.service.close();
  }
  const [first = [], second = []] = lives;
  const exchanges = toComparable(first, second);
  expect(await replay(exchanges)).toEqual([]);
  expect(exchanges.length).toBeGreaterThanOrEqual(300);
  expect(JSON.stringify(exchanges)).not.toContain(new Date().toISOString().slice(0, 10)); // which is another one tomorrow
  expect(unanswered(exchanges)).toEqual([]);
  writeOnce(process.env['RECORD'] ?? '', exchangesFile, write(exchanges));
});

it('what a release records has each operation of REST', async () => {
  const asked: string[] = [];
  const isAsked: Rest = async (method, path) => {
    asked.push(`${method} /api/v1${path}`);
    return anyAnswer();
  };
  const nothing = async () => anyAnswer();
  await liveByRest(isAsked, nothing, async () => undefined);
  await liveInTestTenant(isAsked, async ({ method, path }) => {
    asked.push(`${method} ${path}`);
    return anyAnswer();
  });
  expect(listMissing(asked)).toEqual([]);
});

/** As an answer that has whatever is read of it. */
function anyAnswer(): Answer {
  const body: unknown = new Proxy(() => sample.unknownId, {
    get: (id, name) => (name === Symbol.toPrimitive || name === 'toJSON' ? id : body),
  });
  return { status: 201, headers: new Headers(), body, text: '' };
}

/** The operations of REST of which none is recorded that succeeded. */
function unanswered(exchanges: readonly Exchange[]): string[] {
  return listMissing(
    exchanges.flatMap((each) =>
      'asked' in each && each.answered.status < 300 ? [`${each.asked.method} ${each.asked.path}`] : [],
    ),
  );
}

/** The operations of REST that are none of these requests. */
function listMissing(requests: readonly string[]): string[] {
  return operations(description()).flatMap(({ method, path, operation: { operationId } }) => {
    const form = path.replaceAll(/\{\w+\}/g, '[^/?]+');
    const isIt = new RegExp(`^${method.toUpperCase()} /api/v1${form}(\\?|$)`);
    return requests.some((each) => isIt.test(each)) ? [] : [operationId];
  });
}

describe('of a recorded answer', () => {
  const [one, other, third] = [1, 2, 3].map((at) => `0190a1b2-c3d4-7000-8000-00000000000${at}`) as [
    string,
    string,
    string,
  ];
  const life = (id: string, tag: string, at: string): Exchange[] => [
    {
      asked: { as: 'acme', method: 'POST', path: '/things' },
      answered: {
        status: 201,
        headers: { location: `https://kontor.example/things/${id}?tag=${tag}`, etag: `"${tag}"` },
        body: { data: { id, at, name: 'x', tags: ['a'], next: null, opaque: `${tag}==` }, warnings: [{ code: 'b' }] },
      },
    },
    { event: 'work' },
    {
      asked: { as: 'acme', method: 'GET', path: `/things/${id}`, headers: { 'if-match': `"${tag}"` } },
      answered: { status: 200, headers: {}, body: { id } },
    },
  ];
  const recorded = toComparable(
    life(one, 'tag-of-the-first', '2026-11-21T09:30:00+00:00'),
    life(other, 'tag-of-the-second', '2026-11-22T10:00:00Z'),
  );
  const [then] = recorded;

  it('ids, times, and what differs have names, in later requests as well', () => {
    expect(JSON.stringify(recorded)).not.toMatch(/0190a1b2|tag-of|2026-11/);
    expect(recorded[2]).toEqual({
      asked: { as: 'acme', method: 'GET', path: '/things/{id:0}', headers: { 'if-match': '"{text:1}"' } },
      answered: { status: 200, headers: {}, body: { id: '{id:0}' } },
    });
  });

  /** The places that differ if the answer is changed so. */
  function differences(
    change: (answered: { status: number; headers: Record<string, string>; body?: unknown }) => unknown,
  ) {
    const [now] = life(third, 'tag-of-the-third', '2027-01-01T00:00:00Z');
    if (!then || !now || !('asked' in then) || !('asked' in now)) throw new Error('No exchange');
    change(now.answered);
    return new Comparison().differences(then.answered, now.answered).map(({ at }) => at);
  }
  const warnings = [{ code: 'a' }, { code: 'b' }];
  const body = { id: third, at: '2027-01-01T00:00:00Z', name: 'x', tags: ['a'], next: null, opaque: 'y' };

  it('everything is the same in another run, and more may be there', () => {
    expect(differences(() => undefined)).toEqual([]);
    expect(differences(({ headers }) => (headers['link'] = 'x'))).toEqual([]);
    expect(differences(({ headers }) => (headers['etag'] = '"of-more-members"'))).toEqual([]);
    expect(differences((now) => (now.body = { data: { ...body, more: 1 }, warnings }))).toEqual([]);
  });

  it.each<[string, string[], Parameters<typeof differences>[0]]>([
    ['another status', ['/status'], (now) => (now.status = 200)],
    ['a vanished header', ['/headers/etag'], ({ headers }) => delete headers['etag']],
    ['a vanished member', ['/body/data/name'], (now) => (now.body = { data: { ...body, name: undefined }, warnings })],
    ['another value', ['/body/data/name'], (now) => (now.body = { data: { ...body, name: 'y' }, warnings })],
    ['another type', ['/body/data/tags'], (now) => (now.body = { data: { ...body, tags: 'a' }, warnings })],
    ['another length', ['/body/data/tags'], (now) => (now.body = { data: { ...body, tags: ['a', 'b'] }, warnings })],
    ['no time', ['/body/data/at'], (now) => (now.body = { data: { ...body, at: '2027-01-01' }, warnings })],
    ['no id', ['/body/data/id'], (now) => (now.body = { data: { ...body, id: 'x' }, warnings })],
    ['a value instead of null', ['/body/data/next'], (now) => (now.body = { data: { ...body, next: 1 }, warnings })],
    ['a vanished warning', ['/body/warnings'], (now) => (now.body = { data: body, warnings: [] })],
    ['no body', ['/body'], (now) => delete now.body],
  ])('this fails: %s', (_what, expected, change) => {
    expect(differences(change)).toEqual(expected);
  });

  it('a version grows where it grew, by however much', () => {
    const comparison = new Comparison();
    const answer = (version: unknown) => ({ status: 200, headers: {}, body: { id: one, version } }) as Answered;
    const differs = (was: number, now: unknown) => comparison.differences(answer(was), answer(now)).map(({ at }) => at);
    expect(differs(1, 1)).toEqual([]);
    expect(differs(3, 2)).toEqual([]);
    expect(differs(3, 2)).toEqual([]);
    expect(differs(3, 3)).toEqual(['/body/version']);
    expect(differs(4, 3)).toEqual(['/body/version']);
    expect(differs(5, '4')).toEqual(['/body/version']);
    expect(differs(5, undefined)).toEqual(['/body/version']);
  });

  it('an id is the same one everywhere', () => {
    expect(differences((now) => (now.body = { data: { ...body, id: other }, warnings }))).toEqual(['/body/data/id']);
  });
});
