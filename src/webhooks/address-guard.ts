import { type LookupAddress, type LookupAllOptions, lookup as dnsLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

const maxLength = 2048;
/** How long who configures a webhook waits for a name server. */
const lookupTimeoutMs = 3000;

// All that IPv6 has ever given to the internet at large. Outside of it are v4-mapped and v4-compatible addresses, NAT64,
// unique local ones and all that is to come: unknown there counts as private.
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** Azure's host agent hands out credentials at an address that looks like anybody's; other clouds' are link-local. */
const azureHost = '168.63.129.16';

/** Names that a network gives to itself, and that public DNS doesn't have (RFC 6761, 6762, ICANN's .internal). */
const privateName = /(^|\.)(localhost|local|internal)$/;

/** What `dns.lookup` is with `all: true`. */
export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface Permission {
  /** http, and private addresses too: for development. */
  allowInsecure: boolean;
}

/** A name resolves to an address that no webhook may go to. */
export class PrivateAddressError extends Error {
  override name = 'PrivateAddressError';
  readonly code = 'ERR_PRIVATE_ADDRESS';
  constructor() {
    // It doesn't say which: what our own name server knows is nothing to tell a tenant.
    super('resolves to a private address');
  }
}

/**
 * Whether an address, as a resolver gives it, is somebody's on the public internet. False for all that has a special
 * purpose (IANA's registries: loopback, private, link-local, documentation, …), for IPv6 that carries an IPv4 address
 * (v4-mapped, NAT64, 6to4, Teredo), and for what isn't an address.
 */
export function isPublicAddress(address: string): boolean {
  // Stricter than ipaddr.js, which reads 0x7f.1 too; a zone id speaks of this machine's own links.
  if (isIP(address) === 0 || address.includes('%') || address === azureHost) return false;
  const parsed = ipaddr.parse(address);
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(globalUnicast));
}

/** Why no webhook can have this URL, as a sentence; undefined when it can, as far as can be said without resolving. */
export function formFault(url: string, { allowInsecure }: Permission): string | undefined {
  if (url.length > maxLength) return `Must not be longer than ${maxLength} characters.`;
  // The parser would forgive `https:host`, and drop line breaks and spaces without a word.
  if (!/^[a-z][a-z\d+.-]*:\/\/[^\s\p{Cc}]+$/iu.test(url) || !URL.canParse(url)) return 'Must be a URL.';
  const { protocol, username, password, hostname } = new URL(url);
  if (protocol !== 'https:' && !(allowInsecure && protocol === 'http:')) return 'Must begin with https://.';
  if (username !== '' || password !== '') return 'Must not contain a user name or password.';
  if (url.includes('#')) return 'Must not have a fragment (#).';

  const host = hostOf(hostname);
  if (host === '' || host.split('.').includes('')) return 'Must be a URL.';
  if (allowInsecure) return undefined;
  if (isIP(host) !== 0) return isPublicAddress(host) ? undefined : 'Must not be a private address.';
  return !host.includes('.') || privateName.test(host) ? 'Must not be a name on a private network.' : undefined;
}

/**
 * Why no webhook can have this URL, as a sentence; undefined when it can. A name that doesn't resolve yet is accepted:
 * `guardedLookup` asks again at every connection.
 */
export async function urlFault(
  url: string,
  { allowInsecure, lookup = dnsLookup }: Permission & { lookup?: Lookup },
): Promise<string | undefined> {
  const fault = formFault(url, { allowInsecure });
  if (fault !== undefined || allowInsecure) return fault;
  const host = hostOf(new URL(url).hostname);
  if (isIP(host) !== 0) return undefined;

  const addresses = await new Promise<LookupAddress[]>((resolve) => {
    const timer = setTimeout(resolve, lookupTimeoutMs, []);
    lookup(host, { all: true }, (error, found) => {
      clearTimeout(timer);
      resolve(error ? [] : found);
    });
  });
  return addresses.every(({ address }) => isPublicAddress(address))
    ? undefined
    : 'Must not resolve to a private address.';
}

/**
 * A `lookup` for connections: gives them the very addresses that it found to be public, so that no second answer of the
 * name server comes between check and use. One private address among many is enough to fail, with PrivateAddressError.
 * Node never asks it about an address in the URL itself: see formFault.
 */
export function guardedLookup(allowInsecure: boolean, lookup: Lookup = dnsLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error) callback(error, []);
      else if (!first) callback(Object.assign(new Error(`No address for ${hostname}`), { code: 'ENOTFOUND' }), []);
      else if (!allowInsecure && !addresses.every(({ address }) => isPublicAddress(address)))
        callback(new PrivateAddressError(), []);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** As addresses and resolvers have it: without an IPv6 address's brackets, or the dot that ends a complete name. */
function hostOf(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}
