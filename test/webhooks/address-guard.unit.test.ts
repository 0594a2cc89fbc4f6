import { createServer, connect, type AddressInfo, type LookupFunction } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { guardedLookup, isPublicAddress, type Lookup, urlFault } from '../../src/webhooks/address-guard.ts';

/** The first and last addresses of ranges that nobody's webhook is in, and some that matter in between. */
const privateAddresses = {
  'this network': ['0.0.0.0', '0.0.0.1', '0.255.255.255'],
  'private use': ['10.0.0.0', '10.1.2.3', '10.255.255.255', '172.16.0.0', '172.31.255.255'],
  'private use, 192.168/16': ['192.168.0.0', '192.168.1.1', '192.168.255.255'],
  'carrier-grade NAT': ['100.64.0.0', '100.100.100.200', '100.127.255.255'],
  loopback: ['127.0.0.0', '127.0.0.1', '127.0.1.1', '127.255.255.255', '::1'],
  'link-local': ['169.254.0.0', '169.254.169.253', '169.254.170.2', '169.254.255.255', 'fe80::', 'fe80::1', 'febf::1'],
  metadata: ['169.254.169.254', 'fd00:ec2::254', 'fd20:ce::254', 'fe80::a9fe:a9fe', '192.0.0.192', '168.63.129.16'],
  'protocol assignments': ['192.0.0.0', '192.0.0.170', '192.0.0.255', '2001::', '2001:1::1', '2001:1ff:ffff::1'],
  documentation: ['192.0.2.0', '192.0.2.255', '198.51.100.1', '203.0.113.255', '2001:db8::1', '3fff::1', '3fff:fff::1'],
  benchmarking: ['198.18.0.0', '198.19.255.255', '2001:2::1'],
  '6to4 relays': ['192.88.99.0', '192.88.99.1', '192.88.99.255'],
  'AS112 and AMT': ['192.31.196.1', '192.52.193.1', '192.175.48.1', '2001:3::1', '2001:4:112::1', '2620:4f:8000::1'],
  multicast: ['224.0.0.0', '224.0.0.251', '239.255.255.255', 'ff00::', 'ff02::1', 'ffff::1'],
  'reserved and broadcast': ['240.0.0.0', '250.1.2.3', '255.255.255.254', '255.255.255.255'],
  unspecified: ['::', '0:0:0:0:0:0:0:0'],
  'v4-mapped': ['::ffff:0:0', '::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:169.254.169.254', '::ffff:8.8.8.8'],
  'v4-compatible': ['::2', '::127.0.0.1', '::7f00:1', '::8.8.8.8', '::ffff:ffff'],
  'v4-translated': ['::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8'],
  NAT64: ['64:ff9b::', '64:ff9b::7f00:1', '64:ff9b::169.254.169.254', '64:ff9b::8.8.8.8', '64:ff9b:1::1'],
  '6to4': ['2002::', '2002:7f00:1::', '2002:a9fe:a9fe::1', '2002:808:808::1', '2002:ffff:ffff:ffff::'],
  Teredo: ['2001:0:7f00:1::', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:0:ffff:ffff::1'],
  'ORCHID and DRIP': ['2001:10::1', '2001:1f:ffff::1', '2001:20::1', '2001:2f:ffff::1', '2001:30::1'],
  'unique local': ['fc00::', 'fc00::1', 'fd12:3456:789a::1', 'fdff:ffff:ffff:ffff::1'],
  'site-local': ['fec0::', 'fec0::1', 'feff::1'],
  'discard and segment routing': ['100::', '100::1', '5f00::1'],
  'not given to anybody yet': [
    '1::1',
    '200::1',
    '400::1',
    '1fff::1',
    '4000::1',
    '6000::1',
    '8000::1',
    'c000::1',
    'f800::1',
  ],
  'with a zone': ['fe80::1%eth0', 'fe80::1%1', '2606:4700::1111%eth0', '::1%lo'],
  'no address': ['', ' ', 'localhost', 'example.com', '8.8.8', '8.8.8.8.', '8.8.8.8 ', ' 8.8.8.8', '8.8.8.8/32'],
  'no canonical address': ['0x8.8.8.8', '010.8.8.8', '8.8.8.08', '134744072', '0x08080808', '[2606:4700::1111]'],
  'a broken one': [
    '256.1.1.1',
    '8.8.8.8.8',
    '8.8.8.-8',
    '2606:4700',
    '2606:4700:::1',
    'g::1',
    '8.8.8.8:443',
    '٨.٨.٨.٨',
  ],
};

const publicAddresses = {
  'well known': ['1.1.1.1', '8.8.8.8', '9.9.9.9', '93.184.216.34', '140.82.121.4', '185.199.108.153', '20.50.2.1'],
  'next to 0/8 and 10/8': ['1.0.0.0', '9.255.255.255', '11.0.0.0'],
  'next to 100.64/10': ['100.63.255.255', '100.128.0.0'],
  'next to 127/8': ['126.255.255.255', '128.0.0.0'],
  'next to 169.254/16': ['169.253.255.255', '169.255.0.0'],
  'next to 172.16/12': ['172.15.255.255', '172.32.0.0'],
  'next to 192/8’s special ones': ['191.255.255.255', '192.0.1.0', '192.0.3.0', '192.88.98.255', '192.88.100.0'],
  'next to 192.168/16': ['192.167.255.255', '192.169.0.0'],
  'next to benchmarking and documentation': [
    '198.17.255.255',
    '198.20.0.0',
    '198.51.99.255',
    '198.51.101.0',
    '203.0.112.1',
  ],
  'last before multicast': ['223.255.255.255'],
  'beside Azure’s host': ['168.63.129.15', '168.63.129.17'],
  IPv6: ['2001:4860:4860::8888', '2606:4700:4700::1111', '2620:fe::fe', '2a00:1450:4001:81b::200e', '2a01:4f8::1'],
  'next to IPv6’s special ones': ['2000::1', '2001:200::1', '2001:db7::1', '2001:db9::1', '2001:ffff::1', '2003::1'],
  'the ends of global unicast': ['2000::', '3ffe:ffff::1', '3fff:1000::1', '3fff:ffff::1'],
  'however it is written': ['2606:4700:4700:0:0:0:0:1111', '2606:4700:4700::0.0.17.17', '2A00:1450:4001:081B::200E'],
};

const cases = (families: Record<string, string[]>): [string, string][] =>
  Object.entries(families).flatMap(([family, addresses]) =>
    addresses.map((address) => [family, address] as [string, string]),
  );

/** An address in all notations that URLs know for it. */
function notations(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (part: number): string => `0x${part.toString(16)}`;
  const octal = (part: number): string => `0${part.toString(8)}`;
  const wide = (text: string): string =>
    text.replace(/[\da-z]/g, (character) => String.fromCodePoint((character.codePointAt(0) ?? 0) + 0xfee0));
  return [
    address,
    `${address}.`,
    String(number),
    hex(number),
    hex(number).toUpperCase(),
    octal(number),
    [a, b, c, d].map(hex).join('.'),
    [a, b, c, d].map(octal).join('.'),
    [hex(a), octal(b), c, d].join('.'),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${hex((b * 256 + c) * 256 + d)}`,
    `00000000${octal(a)}.${b}.${c}.${d}`,
    wide(address),
    wide(hex(number)),
    address.replaceAll('.', '。'),
    address.replaceAll('.', '%2e'),
    [...address].map((character) => `%${character.charCodeAt(0).toString(16)}`).join(''),
    [...address]
      .map((character) => (/\d/.test(character) ? String.fromCodePoint(0x245f + Number(character)) : '.'))
      .join('')
      .replaceAll('\u245f', '⓪'),
    `[::ffff:${address}]`,
    `[::${address}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${address}]`,
    `[::ffff:0:${address}]`,
    `[2002:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::1]`,
    `[2001:0:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::]`,
    `[0:0:0:0:0:ffff:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}]`,
  ];
}

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
  urlFault(url, { allowInsecure, lookup });

type Found = { error: NodeJS.ErrnoException | null; address: unknown; family: number | undefined };

/** What a connection would be told. */
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
