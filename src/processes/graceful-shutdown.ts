import type { Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Graceful shutdown of an HTTP process: it reports that it isn't ready, so that load balancers stop sending requests, and
 * closes each connection after its next response. Requests that arrive meanwhile are still served.
 */
export class GracefulShutdown {
  #begun = false;
  #closeConnections = (): void => {};

  /** @param responses those in progress */
  watch(server: Server, responses: () => Iterable<ServerResponse>): void {
    const close = (response: ServerResponse): void => {
      if (!response.headersSent) response.setHeader('Connection', 'close');
    };
    this.#closeConnections = () => {
      for (const response of responses()) close(response);
      server.prependListener('request', (_request, response: ServerResponse) => close(response));
    };
  }

  /** @param otherwise other reasons not to be ready */
  unready(otherwise: () => Promise<string | undefined>): () => Promise<string | undefined> {
    return async () => (this.#begun ? 'The process is stopping.' : otherwise());
  }

  /** Waits for `ms` milliseconds, until load balancers should have noticed. */
  async begin(ms: number): Promise<void> {
    this.#begun = true;
    this.#closeConnections();
    if (ms > 0) await sleep(ms);
  }
}
