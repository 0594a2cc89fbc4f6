import type { ServerResponse } from 'node:http';
import { CodedError } from '../../../schema/errors.ts';

/** How many longest answers' memory the answers of one tenant may take, and those of the whole process. */
const perTenant = 6;
const perProcess = 16;

/** Seconds after which a client should retry a request that was refused. */
const retryAfter = 5;

/** An answer that is made or sent. */
interface Answer {
  tenantId: string;
  response: ServerResponse;
  bytes: number;
}

/**
 * Limits the memory of the answers that a process makes, and of those that wait until their clients read them. An answer's
 * memory is reserved while the answer grows, and given back when the connection has taken all of it or is closed.
 *
 * Beyond its limit a tenant's answers are refused. Beyond that of the process, an answer that its client doesn't read is
 * broken off for a new one: of the tenant whose answers take the most, the one that was asked for first.
 */
export class AnswerMemory {
  readonly #maxAnswer: number;
  /** Those that have reserved anything, the oldest first. */
  readonly #answers = new Set<Answer>();
  readonly #byResponse = new WeakMap<ServerResponse, Answer>();
  readonly #tenants = new Map<string, number>();
  readonly #onBreak: (tenantId: string) => void;
  #total = 0;

  /** @param onBreak called when an answer is broken off, with its tenant */
  constructor(maxAnswer: number, onBreak: (tenantId: string) => void) {
    this.#maxAnswer = maxAnswer;
    this.#onBreak = onBreak;
  }

  /** The bytes that all answers have reserved. */
  get bytes(): number {
    return this.#total;
  }

  /**
   * Reserves memory for a request's answer.
   * @param bytes how much it takes in all; 0 when a stream's next part begins
   * @throws CodedError RATE_LIMITED
   */
  reserve(tenantId: string, response: ServerResponse, bytes: number): void {
    let answer = this.#byResponse.get(response);
    if (!answer) this.#byResponse.set(response, (answer = this.#open(tenantId, response)));
    if (response.closed) return this.#set(answer, 0);
    // A stream's next part begins. What its client hasn't read of the last one stays in memory.
    const needed = bytes === 0 ? response.writableLength : bytes;
    const more = needed - answer.bytes;
    if (more > 0 && this.#heldBy(tenantId) + more > perTenant * this.#maxAnswer) this.#refuse(response);
    if (more > 0) this.#makeRoom(more, answer);
    this.#set(answer, needed);
  }

  #open(tenantId: string, response: ServerResponse): Answer {
    const answer: Answer = { tenantId, response, bytes: 0 };
    response.once('close', () => this.#set(answer, 0));
    return answer;
  }

  #heldBy(tenantId: string): number {
    return this.#tenants.get(tenantId) ?? 0;
  }

  #set(answer: Answer, bytes: number): void {
    const { tenantId } = answer;
    const more = bytes - answer.bytes;
    if (more === 0) return;
    answer.bytes = bytes;
    this.#total += more;
    const held = this.#heldBy(tenantId) + more;
    if (held > 0) this.#tenants.set(tenantId, held);
    else this.#tenants.delete(tenantId);
    if (bytes > 0) this.#answers.add(answer);
    else this.#answers.delete(answer);
  }

  #makeRoom(bytes: number, answer: Answer): void {
    while (this.#total + bytes > perProcess * this.#maxAnswer)
      if (!this.#breakOff(answer)) this.#refuse(answer.response);
  }

  /** @returns whether there was an answer that could be broken off */
  #breakOff(except: Answer): boolean {
    let found: Answer | undefined;
    for (const answer of this.#answers) {
      const isUnread = answer !== except && answer.response.headersSent;
      if (isUnread && (!found || this.#heldBy(answer.tenantId) > this.#heldBy(found.tenantId))) found = answer;
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
