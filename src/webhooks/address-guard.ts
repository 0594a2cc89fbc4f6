import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { createNameLookup, type Lookup } from './name-lookup.ts';

// SSRF protection: webhooks must not reach private networks (DECISIONS.md#d36-addresses).

const maxLength = 2048;
/** How long the configuration of a webhook waits for a name server. */
const lookupTimeoutMs = 3000;
/** A name can have thousands of addresses, and a connection would try one after the other. */
const maxAddresses = 16;

// The global unicast range of IPv6. All addresses outside of this range count as private: v4-mapped and v4-compatible
// addresses, NAT64, unique local addresses, and unassigned ranges.
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** Azure's host agent serves credentials at an address that looks public; those of other clouds are link-local. */
const azureHost = '168.63.129.16';

/** Names for private networks, which public DNS doesn't have (RFC 6761, 6762, ICANN's .internal). */
const privateName = /(^|\.)(localhost|local|internal)$/;

/**
 * Parts that no valid URI has (RFC 3986). With a backslash, or a third slash before the host, other programs may find another host
 * than the URL parser. With marks of text direction, people may read another one. Webhooks that are stored with them are still
 * delivered, to the parser's host.
 */
const misleading = /^[^?]*\\|^[^:]*:\/{3}|\p{Bidi_Control}/u;

export interface Permission {
  /** Allows http and private addresses, for development. */
  allowInsecure: boolean;
}

/** The name resolves to an address that webhooks must not be sent to. */
class PrivateAddressError extends Error {
  override name = 'PrivateAddressError';
  readonly code = 'ERR_PRIVATE_ADDRESS';
  constructor() {
    // The message has no address: tenants must not learn about names on the operator's network.
    super('resolves to a private address');
  }
}

/**
 * Whether an address of a resolver is on the public internet. False for special-purpose addresses (IANA's registries:
 * loopback, private, link-local, documentation, …), for IPv6 addresses that contain an IPv4 address (v4-mapped, NAT64,
 * 6to4, Teredo), and for text that is no address.
 */
export function isPublicAddress(address: string): boolean {
  // Stricter than ipaddr.js, which accepts 0x7f.1. An address with a zone id is on a link of this machine.
  if (isIP(address) === 0 || address.includes('%') || address === azureHost) return false;
  const parsed = ipaddr.parse(address);
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(globalUnicast));
}

/** The reason why a webhook can't have this URL, as a sentence; undefined if it can. Doesn't resolve the name. */
export function findFormProblem(url: string, { allowInsecure }: Permission): string | undefined {
  if (url.length > maxLength) return `Must not be longer than ${maxLength} characters.`;
  // The URL parser would accept `https:host`, and silently drop line breaks and spaces.
  if (!/^[a-z][a-z\d+.-]*:\/\/[^\s\p{Cc}]+$/iu.test(url) || !URL.canParse(url)) return 'Must be a URL.';
  const { protocol, username, password, hostname } = new URL(url);
  if (protocol !== 'https:' && !(allowInsecure && protocol === 'http:')) return 'Must begin with https://.';
  if (username !== '' || password !== '') return 'Must not contain a user name or password.';
  if (url.includes('#')) return 'Must not have a fragment (#).';

  const host = parseHost(hostname);
  if (host === '' || host.split('.').includes('')) return 'Must be a URL.';
  if (allowInsecure) return undefined;
  if (isIP(host) !== 0) return isPublicAddress(host) ? undefined : 'Must not be a private address.';
  return !host.includes('.') || privateName.test(host) ? 'Must not be a name on a private network.' : undefined;
}

/**
 * The reason why a webhook can't have this URL, as a sentence; undefined if it can. A name that doesn't resolve yet is accepted:
 * `guardedLookup` checks it again at every connection.
 */
export async function findUrlProblem(
  url: string,
  { allowInsecure, lookup = createNameLookup(lookupTimeoutMs) }: Permission & { lookup?: Lookup },
): Promise<string | undefined> {
  const problem = findFormProblem(url, { allowInsecure }) ?? (misleading.test(url) ? 'Must be a URL.' : undefined);
  if (problem !== undefined || allowInsecure) return problem;
  const host = parseHost(new URL(url).hostname);
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
 * A `lookup` for connections: returns only addresses that it has checked to be public, so that the name server can't answer
 * differently between check and use. It fails with PrivateAddressError if any of them is private. Node doesn't call it
 * for an IP address in the URL: findFormProblem checks that.
 */
export function guardedLookup(allowInsecure: boolean, lookup: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error) callback(error, []);
      else if (!first) callback(Object.assign(new Error(`No address for ${hostname}`), { code: 'ENOTFOUND' }), []);
      else if (!allowInsecure && !addresses.every(({ address }) => isPublicAddress(address)))
        callback(new PrivateAddressError(), []);
      else if (options.all) callback(null, addresses.slice(0, maxAddresses));
      else callback(null, first.address, first.family);
    });
  };
}

/** As addresses and resolvers have it: without an IPv6 address's brackets, or the dot that ends a complete name. */
function parseHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}
