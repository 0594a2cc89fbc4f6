import { createServer, connect, type AddressInfo, type LookupFunction } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { guardedLookup, isPublicAddress, findUrlProblem } from '../../src/webhooks/address-guard.ts';
import type { Lookup } from '../../src/webhooks/name-lookup.ts';
import { privateAddresses, publicAddresses, cases, notations } from './addresses.ts';

const resolvingTo =
  (...addresses: string[]): Lookup =>
  (_, __, callback) =>
    setImmediate(
      callback,
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

const failingWith =
  (code: string): Lookup =>
  (_, __, callback) =>
    setImmediate(callback, Object.assign(new Error(code), { code }), []);

/** Where nothing may be looked up. */
const unasked: Lookup = (hostname) => {
  throw new Error(`${hostname} was looked up`);
};

const ask = (url: string, lookup: Lookup = resolvingTo('93.184.216.34'), allowInsecure = false) =>
  findUrlProblem(url, { allowInsecure, lookup });

type Found = { error: NodeJS.ErrnoException | null; address: unknown; family: number | undefined };

/** The addresses that a connection would get. */
const look = (lookup: LookupFunction, options: { all?: boolean; family?: 4 } = { all: true }): Promise<Found> =>
  new Promise((resolve) => {
    lookup('example.com', options, (error, address, family) => resolve({ error, address, family }));
  });

describe('an address', () => {
  it.each(cases(privateAddresses))('is not public: %s %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(cases(publicAddresses))('is public: %s %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('a webhook’s URL', () => {
  const hosts = ['127.0.0.1', '169.254.169.254', '10.0.0.1', '192.168.1.1', '0.0.0.0', '100.64.0.1', '172.16.0.1'];

  it.each(hosts.flatMap(notations))('can’t be at %s', async (host) => {
    expect(await ask(`https://${host}/hook`, unasked)).toBe('Must not be a private address.');
    expect(await ask(`https://${host}:8443`, unasked)).toBe('Must not be a private address.');
  });

  it.each([
    '127.1',
    '127.0.1',
    '0',
    '0x0',
    '00',
    '0.0',
    '1',
    '[::]',
    '[::1]',
    '[0:0::1]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[FEC0::1]',
  ])('can’t be at %s', async (host) => {
    expect(await ask(`https://${host}/`, unasked)).toBe('Must not be a private address.');
  });

  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'a.b.LocalHost.',
    'ｌｏｃａｌｈｏｓｔ',
    'local%68ost',
    'loc\u00adalhost',
  ])('can’t be at %s', async (host) => {
    expect(await ask(`https://${host}/`, unasked)).toBe('Must not be a name on a private network.');
  });

  it.each([
    'printer.local',
    'printer.local.',
    'metadata.google.internal',
    'host.docker.internal',
    'a.b.INTERNAL',
    'local',
    'intranet',
    'postgres',
    'redis.',
    'x',
    'com',
    'metadata',
  ])('can’t be at %s', async (host) => {
    expect(await ask(`https://${host}:5432/`, unasked)).toBe('Must not be a name on a private network.');
  });

  it.each([
    ['', 'Must be a URL.'],
    ['example.com', 'Must be a URL.'],
    ['example.com/hook', 'Must be a URL.'],
    ['//example.com/hook', 'Must be a URL.'],
    ['/hook', 'Must be a URL.'],
    ['https:', 'Must be a URL.'],
    ['https://', 'Must be a URL.'],
    ['https:///', 'Must be a URL.'],
    ['https:example.com', 'Must be a URL.'],
    ['https:/example.com', 'Must be a URL.'],
    ['https:\\\\example.com', 'Must be a URL.'],
    ['https://.', 'Must be a URL.'],
    ['https://./', 'Must be a URL.'],
    ['https://example..com', 'Must be a URL.'],
    ['https://.example.com', 'Must be a URL.'],
    ['https://example.com..', 'Must be a URL.'],
    ['https://exa mple.com', 'Must be a URL.'],
    ['https://example.com/a b', 'Must be a URL.'],
    ['https://exa\nmple.com', 'Must be a URL.'],
    ['https://example.com\r\nX: y', 'Must be a URL.'],
    ['https://example.com/\0', 'Must be a URL.'],
    [' https://example.com', 'Must be a URL.'],
    ['https://example.com ', 'Must be a URL.'],
    ['https://example.com:99999', 'Must be a URL.'],
    ['https://example.com:-1', 'Must be a URL.'],
    ['https://ex<ample.com', 'Must be a URL.'],
    ['https://ex%00ample.com', 'Must be a URL.'],
    ['https://[::1', 'Must be a URL.'],
    ['https://[::g]', 'Must be a URL.'],
    ['https://[fe80::1%25eth0]/', 'Must be a URL.'],
    ['https://1.2.3.4.5', 'Must be a URL.'],
    ['https://256.256.256.256', 'Must be a URL.'],
    ['https://4294967296', 'Must be a URL.'],
    ['https://0xffffffffff', 'Must be a URL.'],
    ['https://example.1', 'Must be a URL.'],
    // Some read another host in these, or people do.
    ['https://example.com\\@example.org/', 'Must be a URL.'],
    ['https://example.com/\\@example.org', 'Must be a URL.'],
    ['https:///example.com', 'Must be a URL.'],
    ['https://example.com/\u202egro.elpmaxe', 'Must be a URL.'],
    ['https://example.com/?\u2067to=example.org', 'Must be a URL.'],
    ['https://example.com/\u200f', 'Must be a URL.'],
    ['http://example.com', 'Must begin with https://.'],
    ['HTTP://example.com', 'Must begin with https://.'],
    ['ftp://example.com', 'Must begin with https://.'],
    ['ws://example.com', 'Must begin with https://.'],
    ['file:///etc/passwd', 'Must begin with https://.'],
    ['gopher://example.com/_x', 'Must begin with https://.'],
    ['unix:///var/run/docker.sock', 'Must begin with https://.'],
    ['https://user@example.com', 'Must not contain a user name or password.'],
    ['https://user:secret@example.com', 'Must not contain a user name or password.'],
    ['https://:secret@example.com', 'Must not contain a user name or password.'],
    ['https://example.com@127.0.0.1/', 'Must not contain a user name or password.'],
    ['https://127.0.0.1%40example.com/', 'Must be a URL.'],
    ['https://example.com/#fragment', 'Must not have a fragment (#).'],
    ['https://example.com/?a#', 'Must not have a fragment (#).'],
    ['https://127.0.0.1\\@example.com/', 'Must not be a private address.'],
    ['https://127.0.0.1?.example.com/', 'Must not be a private address.'],
    [`https://example.com/${'x'.repeat(2029)}`, 'Must not be longer than 2048 characters.'],
  ])('can’t be %j: %s', async (url, fault) => {
    expect(await ask(url, unasked)).toBe(fault);
  });

  it.each([
    'https://example.com',
    'https://example.com/',
    'HTTPS://EXAMPLE.COM/Hook',
    'https://example.com./hook',
    'https://example.com:8443/hook?a=b&c=%20d',
    'https://hooks.slack.com/services/T0/B0/x',
    'https://bücher.example/haken',
    'https://xn--bcher-kva.example/',
    'https://a_b.example.com/',
    'https://localhost.example.com/',
    'https://internal.example.com/',
    'https://local.example.com/',
    'https://mylocal.example.local.com/',
    'https://127.0.0.1.nip.io/',
    'https://example.com/?to=file:///a\\b',
    'https://8.8.8.8/',
    'https://134744072/',
    'https://[2606:4700:4700::1111]/hook',
    'https://[2606:4700:4700::1111]:8443/hook',
    `https://example.com/${'x'.repeat(2028)}`,
  ])('can be %s', async (url) => {
    expect(await ask(url)).toBeUndefined();
  });

  it.each([['127.0.0.1'], ['::1'], ['169.254.169.254'], ['fd00:ec2::254'], ['::ffff:10.0.0.1'], ['64:ff9b::a00:1']])(
    'can’t have a name that resolves to %s, even among others',
    async (address) => {
      const fault = 'Must not resolve to a private address.';
      expect(await ask('https://example.com', resolvingTo(address))).toBe(fault);
      expect(await ask('https://example.com', resolvingTo('8.8.8.8', address))).toBe(fault);
      expect(await ask('https://example.com', resolvingTo(address, '2606:4700::1111', '8.8.8.8'))).toBe(fault);
    },
  );

  it.each(['ENOTFOUND', 'EAI_AGAIN', 'ESERVFAIL'])('can have a name that doesn’t resolve yet: %s', async (code) => {
    expect(await ask('https://example.com', failingWith(code))).toBeUndefined();
  });

  it('can have a name whose server doesn’t answer: who configures it isn’t kept waiting', async () => {
    vi.useFakeTimers();
    const fault = ask('https://example.com', () => {});
    await vi.advanceTimersByTimeAsync(3000);
    vi.useRealTimers();
    expect(await fault).toBeUndefined();
  });

  it('is looked up as it will be connected to', async () => {
    const asked: string[] = [];
    const lookup: Lookup = (hostname, options, callback) => {
      asked.push(hostname);
      resolvingTo('8.8.8.8')(hostname, options, callback);
    };
    await ask('https://BÜCHER.example.:8443/', lookup);
    expect(asked).toEqual(['xn--bcher-kva.example']);
  });

  it.each([
    'http://127.0.0.1:3000/hook',
    'http://localhost/',
    'https://[::1]/',
    'http://postgres',
    'http://a.internal/',
    'https://10.0.0.1',
  ])('can be %s in development', async (url) => {
    expect(await ask(url, unasked, true)).toBeUndefined();
  });

  it.each([
    ['ftp://127.0.0.1', 'Must begin with https://.'],
    ['http://user@127.0.0.1', 'Must not contain a user name or password.'],
    ['http://127.0.0.1/#a', 'Must not have a fragment (#).'],
    ['127.0.0.1', 'Must be a URL.'],
  ])('can’t be %s even in development', async (url, fault) => {
    expect(await ask(url, unasked, true)).toBe(fault);
  });
});

describe('a connection', () => {
  it('is given all the addresses that were checked', async () => {
    const { error, address } = await look(guardedLookup(false, resolvingTo('8.8.8.8', '2606:4700::1111')));
    expect(error).toBeNull();
    expect(address).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
  });

  it('is given one address if it wants one, and all are checked', async () => {
    const one = await look(guardedLookup(false, resolvingTo('2606:4700::1111', '8.8.8.8')), {});
    expect(one).toEqual({ error: null, address: '2606:4700::1111', family: 6 });
    const mixed = await look(guardedLookup(false, resolvingTo('8.8.8.8', '10.0.0.1')), {});
    expect(mixed.error).toMatchObject({ code: 'ERR_PRIVATE_ADDRESS', message: 'resolves to a private address' });
  });

  it.each(cases(privateAddresses))('is not made when there is among the addresses: %s %s', async (_, address) => {
    for (const addresses of [[address], ['8.8.8.8', address], [address, '8.8.8.8']]) {
      const { error } = await look(guardedLookup(false, resolvingTo(...addresses)));
      expect(error).toMatchObject({ code: 'ERR_PRIVATE_ADDRESS' });
    }
  });

  it('is not made to a name without addresses', async () => {
    expect((await look(guardedLookup(false, resolvingTo()))).error).toMatchObject({ code: 'ENOTFOUND' });
    expect((await look(guardedLookup(true, resolvingTo()))).error).toMatchObject({ code: 'ENOTFOUND' });
    expect((await look(guardedLookup(false, failingWith('EAI_AGAIN')))).error).toMatchObject({ code: 'EAI_AGAIN' });
  });

  it('may go anywhere in development', async () => {
    const { error, address } = await look(guardedLookup(true, resolvingTo('127.0.0.1')));
    expect([error, address]).toEqual([null, [{ address: '127.0.0.1', family: 4 }]]);
  });

  it('passes the wish for a family on', async () => {
    const lookup = vi.fn<Lookup>(resolvingTo('8.8.8.8'));
    await look(guardedLookup(false, lookup), { family: 4 });
    expect(lookup.mock.calls[0]?.[1]).toEqual({ family: 4, all: true });
  });

  it('goes to the address that was checked, though the name server changes its mind', async () => {
    const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    // Public when the webhook is configured, private when it is sent to; and the other way round.
    const answers = ['8.8.8.8', '127.0.0.1'];
    const rebinding: Lookup = (hostname, options, callback) =>
      resolvingTo(answers.shift() ?? '127.0.0.1')(hostname, options, callback);
    expect(await ask('https://rebind.example.com', rebinding)).toBeUndefined();
    const refused = connect({ host: 'rebind.example.com', port, lookup: guardedLookup(false, rebinding) });
    const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ERR_PRIVATE_ADDRESS');

    // One question, one answer: what is connected to is what was checked.
    const counted = vi.fn<Lookup>(resolvingTo('127.0.0.1'));
    const made = connect({
      host: 'rebind.example.com',
      port,
      autoSelectFamily: true,
      lookup: guardedLookup(true, counted),
    });
    await once(made, 'connect');
    expect([made.remoteAddress, counted.mock.calls.length]).toEqual(['127.0.0.1', 1]);
    made.destroy();
    server.close();
  });
});
