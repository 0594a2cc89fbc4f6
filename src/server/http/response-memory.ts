import type { ServerResponse } from 'node:http';
import type { Holder } from '../../../prisma/client.ts';
import type { CurrentTenant } from '../../../schema/graphql/identity.ts';
import { CodedError } from '../../../schema/errors/errors.ts';

/** How many longest responses' memory the responses of one holder may take, and those of the whole process. */
const perHolder = 6;
const perProcess = 16;

/** Seconds after which a client should retry a request that was refused. */
const retryAfter = 5;

/** The memory of a response that is made or sent. */
interface Reservation {
  tenantId: string;
  holder: Holder;
  response: ServerResponse;
  bytes: number;
}

/**
 * Limits the memory of the responses that a process makes, and of those that wait until their clients read them. A response's
 * memory is reserved while it grows, and given back when the connection has taken all of it or is closed.
 *
 * Beyond its limit a tenant's responses are refused. Beyond that of the process, a response that its client doesn't read is
 * broken off for a new one: of the tenant whose responses take the most, the one that was asked for first.
 */
export class ResponseMemory {
  readonly #maxResponse: number;
  /** Those that have reserved anything, the oldest first. */
  readonly #reservations = new Set<Reservation>();
  readonly #byResponse = new WeakMap<ServerResponse, Reservation>();
  readonly #holders = new Map<Holder, number>();
  readonly #onBreak: (tenantId: string) => void;
  #total = 0;

  /** @param onBreak called when a response is broken off, with its tenant */
  constructor(maxResponse: number, onBreak: (tenantId: string) => void) {
    this.#maxResponse = maxResponse;
    this.#onBreak = onBreak;
  }

  /** The bytes that all responses have reserved. */
  get bytes(): number {
    return this.#total;
  }

  /**
   * Reserves memory for a request's response.
   * @param bytes how much it takes in all; 0 when a stream's next part begins
   * @throws CodedError RATE_LIMITED
   */
  reserve(tenant: Pick<CurrentTenant, 'id' | 'holder'>, response: ServerResponse, bytes: number): void {
    let reservation = this.#byResponse.get(response);
    if (!reservation) this.#byResponse.set(response, (reservation = this.#open(tenant, response)));
    if (response.closed) return this.#set(reservation, 0);
    // A stream's next part begins. What its client hasn't read of the last one stays in memory.
    const needed = bytes === 0 ? response.writableLength : bytes;
    const more = needed - reservation.bytes;
    if (more > 0 && this.#heldBy(reservation.holder) + more > perHolder * this.#maxResponse) this.#refuse(response);
    if (more > 0) this.#makeRoom(more, reservation);
    this.#set(reservation, needed);
  }

  #open(tenant: Pick<CurrentTenant, 'id' | 'holder'>, response: ServerResponse): Reservation {
    const reservation: Reservation = { tenantId: tenant.id, holder: tenant.holder, response, bytes: 0 };
    response.once('close', () => this.#set(reservation, 0));
    return reservation;
  }

  #heldBy(holder: Holder): number {
    return this.#holders.get(holder) ?? 0;
  }

  #set(reservation: Reservation, bytes: number): void {
    const { holder } = reservation;
    const more = bytes - reservation.bytes;
    if (more === 0) return;
    reservation.bytes = bytes;
    this.#total += more;
    const held = this.#heldBy(holder) + more;
    if (held > 0) this.#holders.set(holder, held);
    else this.#holders.delete(holder);
    if (bytes > 0) this.#reservations.add(reservation);
    else this.#reservations.delete(reservation);
  }

  #makeRoom(bytes: number, reservation: Reservation): void {
    while (this.#total + bytes > perProcess * this.#maxResponse)
      if (!this.#breakOff(reservation)) this.#refuse(reservation.response);
  }

  /** @returns whether there was a response that could be broken off */
  #breakOff(except: Reservation): boolean {
    let found: Reservation | undefined;
    for (const reservation of this.#reservations) {
      const isUnread = reservation !== except && reservation.response.headersSent;
      if (isUnread && (!found || this.#heldBy(reservation.holder) > this.#heldBy(found.holder))) found = reservation;
    }
    if (!found) return false;
    this.#set(found, 0);
    found.response.destroy();
    this.#onBreak(found.tenantId);
    return true;
  }

  /** A stream is closed: its client connects again, and misses nothing. */
  #refuse(response: ServerResponse): never {
    if (response.headersSent) response.destroy();
    const message = `Too many long answers of this tenant are not read yet. Try again in ${retryAfter} seconds.`;
    throw new CodedError('RATE_LIMITED', message, { retryAfter });
  }
}
