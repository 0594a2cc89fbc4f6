import {
  BADNAME,
  CANCELLED,
  CONNREFUSED,
  NODATA,
  NOTFOUND,
  TIMEOUT,
  type LookupAddress,
  type LookupAllOptions,
} from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { callbackify } from 'node:util';

/** The type of `dns.lookup` with `all: true`. */
export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** How long a name server has for its answer, at first. The time doubles after all have been asked. */
const tryMs = 1000;
const tries = 3;

/**
 * A lookup that asks the name servers itself. `dns.lookup` waits in one of few threads, even after its caller has given up:
 * a few names whose name server is silent would keep the whole process from finding any name. Here each lookup has its own
 * sockets and its own end. It knows neither the hosts file nor search domains. It asks for the addresses of both families;
 * those of IPv4 come first.
 * @param limitMs when it ends with what it has found until then
 * @param nameServers instead of the machine's
 */
export function createNameLookup(limitMs: number, nameServers?: readonly string[]): Lookup {
  const look = callbackify(async (hostname: string) => {
    const resolver = new Resolver({ timeout: tryMs, tries });
    if (nameServers) resolver.setServers(nameServers);
    const timer = setTimeout(() => resolver.cancel(), limitMs);
    try {
      return await find(resolver, hostname);
    } finally {
      clearTimeout(timer);
    }
  });
  return (hostname, _options, callback) => look(hostname, callback);
}

/** @throws Error with a code that failure-message.ts knows */
async function find(resolver: Resolver, hostname: string): Promise<LookupAddress[]> {
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = [...list(ipv4, 4), ...list(ipv6, 6)];
  if (addresses.length > 0) return addresses;
  const codes = [ipv4, ipv6].flatMap((answer) => (answer.status === 'rejected' ? [translate(answer.reason)] : []));
  // That there is no such address is an answer only if the other question had one too.
  const code = codes.find((each) => each !== 'ENOTFOUND') ?? 'ENOTFOUND';
  const others = resolver.getServers().slice(1);
  if (code !== 'ESERVFAIL' || others.length === 0)
    throw Object.assign(new Error(`No address for ${hostname}`), { code });
  // The resolver asks the next name server after silence, but not after an answer that reports a failure.
  resolver.setServers(others);
  return find(resolver, hostname);
}

const list = (answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];

/** ECONNREFUSED, say, would otherwise stand for the receiver's. */
function translate(error: unknown): 'ENOTFOUND' | 'EAI_AGAIN' | 'ESERVFAIL' {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === NOTFOUND || code === NODATA || code === BADNAME) return 'ENOTFOUND';
  return code === TIMEOUT || code === CANCELLED || code === CONNREFUSED ? 'EAI_AGAIN' : 'ESERVFAIL';
}
