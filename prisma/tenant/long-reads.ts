import type { Connection } from '../connection/connection.ts';
import { TenantQueues } from './connection-limit.ts';
import type { Holder } from './holder.ts';
import type { ReadLimit } from './pool.ts';

/** The length in bytes from which a result takes its tenant's turn. */
export const longResult = 1024 * 1024;

/** After a long result its tenant's next one waits this many times as long as the result took, so that others are served. */
const rest = 3;

/** The longest such wait, in milliseconds: a result may have taken long because PostgreSQL was busy with others. */
const longestRest = 500;

/** The rest of one statement's long result, while it is read. */
export interface LongRead {
  /** The limit's error. */
  readonly refusal: unknown;
  end: () => void;
}

/**
 * Lets each holder's tenants read one long result at a time. Until then the next one is not read from its connection, and
 * PostgreSQL stops sending it: many at once would keep the processes and PostgreSQL from serving other tenants.
 */
export class LongReads {
  /** Those whose tenants read one. */
  readonly #reading = new Set<Holder>();
  readonly #queues = new TenantQueues();

  /**
   * Begins when a result turns out to be long.
   * @param limit asked when the result's turn has come. If it throws, the connection is closed.
   */
  begin(holder: Holder, connection: Connection, limit?: Pick<ReadLimit, 'expectLong'>): LongRead {
    let beganAt = performance.now();
    let refusal: unknown;
    let hasEnded = false;
    const takeTurn = async (): Promise<void> => {
      connection.pause();
      if (this.#reading.has(holder)) await this.#queues.wait(holder);
      this.#reading.add(holder);
      if (hasEnded) return;
      beganAt = performance.now();
      try {
        limit?.expectLong();
        connection.resume();
      } catch (error) {
        refusal = error;
        connection.abandon();
      }
    };
    const turn = takeTurn();
    return {
      get refusal() {
        return refusal;
      },
      end: () => {
        hasEnded = true;
        // A refused result costs a new connection.
        const restMs = refusal ? longestRest : Math.min(rest * (performance.now() - beganAt), longestRest);
        void turn.then(() => setTimeout(() => this.#giveTurn(holder), restMs).unref());
      },
    };
  }

  #giveTurn(holder: Holder): void {
    if (!this.#queues.takeNext(holder)) this.#reading.delete(holder);
  }
}
