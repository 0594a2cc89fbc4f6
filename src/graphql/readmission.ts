import type { ServerResponse } from 'node:http';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';

/** How long a subscription may outlive what it was admitted by. */
export const readmitEveryMs = 30_000;

/** What a subscription needs to know of its visitor. */
export interface Revisit {
  /** Whether the request would still be admitted. */
  readmit: () => Promise<boolean>;
}

/**
 * Ends a subscription with its connection, and soon after its token or session has ended or its user has left the
 * tenant; when in doubt, too. However it ends, the connection breaks off: a client that is told "complete" stays away,
 * and one that is cut off comes again, to be admitted or to hear why not.
 */
export function useReadmission(): Plugin<Revisit> {
  return {
    onSubscribe: ({ args }) => ({
      onSubscribeResult: ({ result }) => {
        if (!isAsyncIterable(result)) return undefined;
        const { readmit, res: response } = args.contextValue as Revisit & { res?: ServerResponse };
        const end = (): void => {
          clearInterval(timer);
          void (result as AsyncIterator<unknown>).return?.();
        };
        const timer = setInterval(() => {
          readmit().then((admitted) => admitted || end(), end);
        }, readmitEveryMs);
        if (response?.closed)
          end(); // while it was being begun
        else response?.once('close', end);
        return { onEnd: () => void response?.destroy() };
      },
    }),
  };
}
