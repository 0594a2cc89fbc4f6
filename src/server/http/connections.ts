import { readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
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
  address: string;
  open: number;
  /**
   * Connections without a request in progress, the longest idle first: a flood of connections costs no search. An incomplete
   * head is no request yet. Only open connections: one that is closed must never come back here.
   */
  idle: Set<Connection>;
}

/** A connection of a client. */
export interface Connection {
  socket: Socket;
  client: Client;
  /** The responses of requests in progress, in order. All but the first are of pipelined requests, which wait. */
  unanswered: ServerResponse[];
  /** The response of the last request, until there is another. */
  latest?: ServerResponse;
}

/**
 * The connections of a server, and their limits. When the limit is reached, a new connection replaces the longest idle one: of
 * its own address where that has too many, else of the address with the most connections. A connection with a request in
 * progress is never closed for another; if all have one, the new connection is closed at once.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #onNoRoom: (why: NoRoom, address: string) => void;
  readonly #clients = new Map<string, Client>();
  readonly #open = new Map<Socket, Connection>();
  /** The open connections, by their sockets. */
  readonly open: ReadonlyMap<Socket, Connection> = this.#open;

  /** @param onNoRoom is called for each connection that is closed, with its address */
  constructor(limits: ConnectionLimits, onNoRoom: (why: NoRoom, address: string) => void) {
    this.#limits = limits;
    this.#onNoRoom = onNoRoom;
  }

  /** Admits the server's connections. To be called once, before the server listens. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#admit(socket));
  }

  /** The responses in progress, of all connections. */
  *responses(): Iterable<ServerResponse> {
    for (const { unanswered } of this.#open.values()) yield* unanswered;
  }

  #admit(socket: Socket): void {
    const address = getNetwork(socket.remoteAddress ?? '');
    let client = this.#clients.get(address);
    if (!client) this.#clients.set(address, (client = { address, open: 0, idle: new Set() }));
    client.open += 1;
    const connection: Connection = { socket, client, unanswered: [] };
    client.idle.add(connection);
    this.#open.set(socket, connection);
    socket.once('close', () => this.#forget(connection));
    const { total, perAddress } = this.#limits;
    if (perAddress > 0 && client.open > perAddress) this.#makeRoom(connection, client);
    else if (this.#open.size > total) this.#makeRoom(connection, this.#findLargest());
  }

  /** Closes a client's longest idle connection. That is the new one where all others have a request in progress. */
  #makeRoom(newest: Connection, { idle } = newest.client): void {
    const [closed = newest] = idle;
    this.#forget(closed);
    closed.socket.destroy();
    this.#onNoRoom(closed === newest ? 'refused' : 'shed', closed.client.address);
  }

  /** The address with the most connections among those with an idle connection. */
  #findLargest(): Client | undefined {
    let largest: Client | undefined;
    for (const client of this.#clients.values())
      if (client.idle.size > 0 && client.open > (largest?.open ?? 0)) largest = client;
    return largest;
  }

  #forget(connection: Connection): void {
    const { socket, client } = connection;
    if (!this.#open.delete(socket)) return;
    client.idle.delete(connection);
    client.open -= 1;
    if (client.open === 0) this.#clients.delete(client.address);
  }
}

/** The network that an address is counted under: with IPv6, each customer of a provider has at least a /64. */
export function getNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
