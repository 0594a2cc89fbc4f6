import type { Connection } from '../connection.ts';
import { TenantLimit } from './connection-limit.ts';

/** The length in bytes from which a result takes its tenant's turn. */
const longResult = 1024 * 1024;

/** After a long result its tenant's next one waits this many times as long as the result took, so that others are served. */
const rest = 3;

/** The longest such wait, in milliseconds: a result may have taken long because PostgreSQL was busy with others. */
const longestRest = 500;

/** The result of one statement, while it is read. */
export interface Reading {
  /** The error of `onLongResult`. */
  readonly refusal: unknown;
  end: () => void;
}

/**
 * Lets each tenant read one long result at a time. Until then the next one is not read from its connection, and PostgreSQL
 * stops sending it: many at once would keep the processes and PostgreSQL from serving other tenants.
 */
export class LongReads {
  readonly #turns = new TenantLimit(1);

  /**
   * Begins to watch the result of a statement that is about to be sent.
   * @param onLongResult called when a long result's turn has come. If it throws, the connection is closed.
   */
  begin(tenantId: string, connection: Connection, onLongResult?: () => void): Reading {
    let received = 0;
    let beganAt = performance.now();
    let turn: Promise<() => void> | undefined;
    let refusal: unknown;
    let hasEnded = false;
    const takeTurn = async (): Promise<() => void> => {
      connection.pause();
      const release = await this.#turns.acquire(tenantId);
      if (hasEnded) return release;
      beganAt = performance.now();
      try {
        onLongResult?.();
        connection.resume();
      } catch (error) {
        refusal = error;
        connection.abandon();
      }
      return release;
    };
    connection.onReceived = (bytes) => {
      received += bytes;
      if (received > longResult) turn ??= takeTurn();
    };
    return {
      get refusal() {
        return refusal;
      },
      end: () => {
        hasEnded = true;
        connection.onReceived = undefined;
        // A refused result costs a new connection.
        const restMs = refusal ? longestRest : Math.min(rest * (performance.now() - beganAt), longestRest);
        void turn?.then((release) => setTimeout(release, restMs).unref());
      },
    };
  }
}
