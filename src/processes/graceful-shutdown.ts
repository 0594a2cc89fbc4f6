import type { Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * How a process that serves takes its leave: it says that it isn't ready, so that balancers turn away, and with every
 * answer that its connection ends with it. Whoever comes meanwhile is still served.
 */
export class GracefulShutdown {
  #begun = false;
  readonly #answering = new Set<ServerResponse>();

  watch(server: Server): void {
    server.prependListener('request', (_request, response: ServerResponse) => {
      if (this.#begun) return void response.setHeader('Connection', 'close');
      this.#answering.add(response);
      response.once('close', () => this.#answering.delete(response));
    });
  }

  /** @param otherwise what else there may be to say against being ready */
  unready(otherwise: () => Promise<string | undefined>): () => Promise<string | undefined> {
    return async () => (this.#begun ? 'The process is stopping.' : otherwise());
  }

  /** @returns after so many milliseconds, in which balancers should have noticed */
  async begin(ms: number): Promise<void> {
    this.#begun = true;
    for (const response of this.#answering) if (!response.headersSent) response.setHeader('Connection', 'close');
    if (ms > 0) await sleep(ms);
  }
}
