import ipaddr from 'ipaddr.js';

/** The part of an address that a client can't choose freely: an IPv4 address, or an IPv6 network of 64 bits. */
export function findNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}
