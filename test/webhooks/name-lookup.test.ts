import { createSocket, type Socket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findUrlProblem, guardedLookup } from '../../src/webhooks/address-guard.ts';
import { createNameLookup } from '../../src/webhooks/name-lookup.ts';
import { createPoster } from '../../src/webhooks/post.ts';
import { ample, attempt, check, fails, prepareAttempts, request, short, timedOut } from './attempts.ts';
import { reply, startEndpoint, writes } from './endpoints.ts';

// Lookups at a name server on this machine. Names say how it answers.

prepareAttempts();

const typeA = 1;
const typeAaaa = 28;
const typeCname = 5;

interface DnsRecord {
  type: number;
  data: Buffer;
}
const a = (...address: number[]): DnsRecord => ({ type: typeA, data: Buffer.from(address) });
const aaaa = (hex: string): DnsRecord => ({ type: typeAaaa, data: Buffer.from(hex, 'hex') });
/** `db.internal`, for which the name that is asked for is an alias. */
const alias: DnsRecord = { type: typeCname, data: Buffer.from('\x02db\x08internal\0', 'latin1') };
/** The name that is asked for, again. */
const loop: DnsRecord = { type: typeCname, data: Buffer.from([0xc0, 12]) };

/** By the first label of a name: its records, or a code of failure. No entry is silence. */
const zone: Record<string, DnsRecord[] | number> = {
  here: [a(127, 0, 0, 1)],
  both: [aaaa('20010db8000000000000000000000001'), a(192, 0, 2, 1), a(192, 0, 2, 2)],
  six: [aaaa('20010db8000000000000000000000001')],
  mapped: [a(93, 184, 216, 34), aaaa('00000000000000000000ffff7f000001')],
  public: [a(93, 184, 216, 34)],
  mixed: [a(93, 184, 216, 34), a(10, 0, 0, 1)],
  many: Array.from({ length: 70 }, (_, index) => a(93, 184, 216, index)),
  'many-and-private': [...Array.from({ length: 70 }, (_, index) => a(93, 184, 216, index)), a(10, 0, 0, 1)],
  loop: [loop],
  alias: [alias, a(10, 0, 0, 1)],
  nat64: [aaaa('0064ff9b00000000000000007f000001')],
  empty: [],
  broken: 2,
  none: 3,
  refused: 5,
};

let server: Socket;
let asked: string[];
let nameServer: string;
const answerFor = (query: Buffer): Buffer | undefined => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const type = query.readUInt16BE(at + 1);
  asked.push(`${labels.join('.')} ${type}`);
  const label = labels[0] ?? '';
  // A public address for the first lookup of it, which asks for two families, and then a private one.
  if (label === 'rebinding') zone[label] = zone[asked.length > 2 ? 'here' : 'public']!;
  const entry = label === 'half' ? (type === typeA ? zone['here'] : undefined) : zone[label];
  if (entry === undefined) return undefined;
  const records =
    typeof entry === 'number' ? [] : entry.filter((each) => each.type === type || each === loop || each === alias);
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 | (typeof entry === 'number' ? entry : 0), 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  const answers = records.map((record) => {
    // Records behind an alias are of the name that it stands for, which comes after the question and the alias' own head.
    const owner = records[0] === alias && record !== alias ? at + 17 : 12;
    const head = Buffer.from([0xc0, owner, 0, record.type, 0, 1, 0, 0, 0, 60, 0, record.data.length]);
    return Buffer.concat([head, record.data]);
  });
  return Buffer.concat([header, query.subarray(12, at + 5), ...answers]);
};
beforeAll(async () => {
  server = createSocket('udp4').on('message', (query, { port, address }) => {
    const answer = answerFor(query);
    if (answer) server.send(answer, port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  nameServer = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked = [];
});
afterAll(() => void server.close());

type Found = string[] | string | undefined;
const look = (label: string, limitMs = ample, servers: string[] = [nameServer]): Promise<Found> =>
  new Promise((resolve) => {
    createNameLookup(limitMs, servers)(`${label}.example.com`, { all: true }, (error, addresses) =>
      resolve(error ? error.code : addresses.map(({ address, family }) => `${address} ${family}`)),
    );
  });

describe('a lookup', () => {
  it.each<[string, Found]>([
    ['both', ['192.0.2.1 4', '192.0.2.2 4', '2001:db8::1 6']],
    ['six', ['2001:db8::1 6']],
    ['here', ['127.0.0.1 4']],
    ['none', 'ENOTFOUND'],
    ['empty', 'ENOTFOUND'],
    ['loop', 'ENOTFOUND'],
    ['x'.repeat(64), 'ENOTFOUND'],
    ['broken', 'ESERVFAIL'],
    ['refused', 'ESERVFAIL'],
  ])('of %s finds %j', async (label, found) => {
    expect(await look(label)).toEqual(found);
  });

  it('asks for both families of the name as it is, and for no other name', async () => {
    await look('none');
    expect(asked.toSorted()).toEqual([`none.example.com ${typeA}`, `none.example.com ${typeAaaa}`]);
  });

  it('ends at its limit, with what it has found by then', async () => {
    const start = performance.now();
    expect(await look('silent', short)).toBe('EAI_AGAIN');
    expect(await look('half', short)).toEqual(['127.0.0.1 4']);
    expect(performance.now() - start).toBeLessThan(ample);
    // Its sockets end with it.
    await expect.poll(() => process.getActiveResourcesInfo().filter((name) => name === 'QueryReqWrap')).toEqual([]);
  });

  it('asks the next name server where one is closed, or reports a failure', async () => {
    const failing = createSocket('udp4').on('message', (query, { port, address }) => {
      const refused = Buffer.from(query.subarray(0, query.indexOf(0, 12) + 5));
      refused.writeUInt16BE(0x8185, 2);
      refused.writeUInt32BE(0, 8);
      failing.send(refused, port, address);
    });
    failing.bind(0, '127.0.0.1');
    await once(failing, 'listening');
    const failingServer = `127.0.0.1:${(failing.address() as AddressInfo).port}`;
    expect(await look('here', ample, ['127.0.0.1:1', failingServer, nameServer])).toEqual(['127.0.0.1 4']);
    expect(await look('here', ample, [failingServer])).toBe('ESERVFAIL');
    expect(await look('here', ample, ['127.0.0.1:1'])).toBe('EAI_AGAIN');
    failing.close();
  });
});

describe('a webhook whose name server is silent', () => {
  it('doesn’t delay another tenant’s webhook', async () => {
    const endpoint = await startEndpoint({ answer: writes(reply(200)) });
    const lookup = createNameLookup(ample, [nameServer]);
    const poster = createPoster({ allowInsecure: true, timeoutMs: 3000, lookup, connectionsPerOrigin: 400 });
    const post = (label: string) => poster.post({ url: `http://${label}.example.com:${endpoint.port}/`, ...request });
    let ended = 0;
    const slow = Array.from({ length: 100 }, (_, index) => post(`silent-${index % 50}`).finally(() => (ended += 1)));
    await expect.poll(() => asked.length).toBeGreaterThan(99);
    const { status } = await post('here');
    expect([status, ended]).toEqual([200, 0]);
    for (const { error } of await Promise.all(slow)) expect(error).toMatch(/timed out|does not answer/);
    await poster.close();
    await endpoint.close();
  });

  it('has that as its failure, once the lookup ends before the attempt', async () => {
    const lookup = createNameLookup(short, [nameServer]);
    check(await attempt('https://silent.example.com/', { lookup }), fails('the name server does not answer'));
    const late = createNameLookup(short * 2, [nameServer]);
    check(await attempt('https://silent.example.com/', { lookup: late, timeoutMs: short }), fails(timedOut));
  });

  it('takes none of the threads that look up names for the rest of the process', async () => {
    const threads = (): string[] => process.getActiveResourcesInfo().filter((name) => name === 'GetAddrInfoReqWrap');
    expect(threads()).toEqual([]);
    const problem = findUrlProblem('https://kontor.invalid.', { allowInsecure: false });
    expect(threads()).toEqual([]);
    expect(await problem).toBeUndefined();

    const strict = createPoster({ allowInsecure: false, timeoutMs: ample });
    let seen = 0;
    const watch = setInterval(() => (seen += threads().length), 1);
    const outcome = await strict.post({ url: 'https://kontor.invalid.', ...request });
    clearInterval(watch);
    expect(outcome.error).toMatch(/the name does not resolve|the name server/);
    expect(seen).toBe(0);
    await strict.close();
  });

  it('is no matter for local names where insecure targets are allowed', async () => {
    const endpoint = await startEndpoint({ answer: writes(reply(200)) });
    expect(await attempt(`http://localhost:${endpoint.port}/`, {}, endpoint)).toMatchObject({ status: 200 });
    await endpoint.close();
  });
});

describe('the addresses that a name server answers', () => {
  const connectTo = (label: string): Promise<LookupAddress[] | string | undefined> =>
    new Promise((resolve) => {
      const guarded = guardedLookup(false, createNameLookup(ample, [nameServer]));
      guarded(`${label}.example.com`, { all: true }, (error, addresses) =>
        resolve(error ? error.code : (addresses as LookupAddress[])),
      );
    });

  it.each(['here', 'mapped', 'nat64', 'alias', 'mixed', 'both', 'six', 'many-and-private'])(
    'are checked, each of them: %s',
    async (label) => {
      expect(await connectTo(label)).toBe('ERR_PRIVATE_ADDRESS');
      const lookup = createNameLookup(ample, [nameServer]);
      expect(await findUrlProblem(`https://${label}.example.com`, { allowInsecure: false, lookup })).toBe(
        'Must not resolve to a private address.',
      );
    },
  );

  it('are checked at each attempt: a name that was public when the webhook was made can be private then', async () => {
    const endpoint = await startEndpoint({ answer: writes(reply(200)) });
    const lookup = createNameLookup(ample, [nameServer]);
    const url = `https://rebinding.example.com:${endpoint.port}/`;
    expect(await findUrlProblem(url, { allowInsecure: false, lookup })).toBeUndefined();
    check(await attempt(url, { allowInsecure: false, lookup }), fails('resolves to a private address'));
    expect(endpoint.connections()).toBe(0);
    await endpoint.close();
  });

  it('are connected to, the first of very many', async () => {
    expect(await connectTo('public')).toEqual([{ address: '93.184.216.34', family: 4 }]);
    expect(await connectTo('many')).toHaveLength(16);
  });
});
