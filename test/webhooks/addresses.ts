// Addresses that webhooks must not be sent to, addresses that they may be sent to, and the notations of an address in URLs.

/** The first and last addresses of ranges that nobody's webhook is in, and some that matter in between. */
export const privateAddresses = {
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

export const publicAddresses = {
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

export const cases = (families: Record<string, string[]>): [string, string][] =>
  Object.entries(families).flatMap(([family, addresses]) =>
    addresses.map((address) => [family, address] as [string, string]),
  );

/** An address in all notations that URLs know for it. */
export function notations(address: string): string[] {
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
