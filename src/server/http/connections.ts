import { readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { NoRoom } from '../../observability/metrics/metrics.ts';

/** Limits of the connections that a process holds at once. */
export interface ConnectionLimits {
  total: number;
  /** The limit per client address; 0: only the total is limited. */
  perAddress: number;
}

const maxTotal = 5000;
const maxPerAddress = 500;
/** Descriptors reserved for everything else: the database, files, webhooks. */
const otherDescriptors = 256;

/**
 * The default limits, by the number of descriptors that the system allows.
 * @param perAddress the operator's setting; null: 500, or no limit behind proxies, where all clients have their addresses
 */
export function defaultLimits(trustedProxies: number, perAddress: number | null = null): ConnectionLimits {
  const total = Math.max(Math.min(maxTotal, descriptors() - otherDescriptors), otherDescriptors);
  const defaultPerAddress = trustedProxies > 0 ? 0 : Math.min(maxPerAddress, Math.floor(total / 2));
  return { total, perAddress: perAddress ?? defaultPerAddress };
}

function descriptors(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return Number(soft ?? Infinity);
  } catch {
    return Infinity;
  }
}

/** The connections of one client address. */
interface Client {
  open: number;
  /** Connections without a request in progress, the longest idle first. An incomplete head is no request yet. */
  idle: Set<Socket>;
}

interface Connection {
  client: Client;
  address: string;
  requestsInProgress: number;
}

/**
 * Limits the connections of a server. When the limit is reached, a new connection replaces the longest idle one: of its own
 * address where that has too many, else of the address with the most connections. A connection with a request in progress
 * is never closed for another; if all have one, the new connection is closed at once.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #onNoRoom: (why: NoRoom, address: string) => void;
  readonly #clients = new Map<string, Client>();
  readonly #connections = new Map<Socket, Connection>();

  /** @param onNoRoom is called for each connection that is closed, with its address */
  constructor(limits: ConnectionLimits, onNoRoom: (why: NoRoom, address: string) => void) {
    this.#limits = limits;
    this.#onNoRoom = onNoRoom;
  }

  get open(): number {
    return this.#connections.size;
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#admit(socket));
    server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      const connection = this.#connections.get(socket);
      if (!connection) return;
      connection.requestsInProgress += 1;
      connection.client.idle.delete(socket);
      response.once('close', () => {
        connection.requestsInProgress -= 1;
        if (connection.requestsInProgress === 0 && this.#connections.has(socket)) connection.client.idle.add(socket);
      });
    });
  }

  #admit(socket: Socket): void {
    const address = networkOf(socket.remoteAddress ?? '');
    let client = this.#clients.get(address);
    if (!client) this.#clients.set(address, (client = { open: 0, idle: new Set() }));
    client.open += 1;
    client.idle.add(socket);
    this.#connections.set(socket, { client, address, requestsInProgress: 0 });
    socket.once('close', () => this.#forget(socket));
    const { total, perAddress } = this.#limits;
    if (perAddress > 0 && client.open > perAddress) this.#makeRoom(client, socket);
    else if (this.open > total) this.#makeRoom(this.#largest() ?? client, socket);
  }

  /** Closes the client's longest idle connection. That is the new one where all others have a request in progress. */
  #makeRoom(client: Client, newest: Socket): void {
    const [longestIdle = newest] = client.idle;
    const address = this.#connections.get(longestIdle)?.address ?? '';
    this.#forget(longestIdle);
    longestIdle.destroy();
    this.#onNoRoom(longestIdle === newest ? 'refused' : 'shed', address);
  }

  /** The address with the most connections among those with an idle connection. */
  #largest(): Client | undefined {
    let largest: Client | undefined;
    for (const client of this.#clients.values()) {
      if (client.idle.size > 0 && client.open > (largest?.open ?? 0)) largest = client;
    }
    return largest;
  }

  #forget(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    const { client, address } = connection;
    this.#connections.delete(socket);
    client.idle.delete(socket);
    client.open -= 1;
    if (client.open === 0) this.#clients.delete(address);
  }
}

/** The network that an address is counted under: with IPv6, each customer of a provider has at least a /64. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
