import { useSyncExternalStore } from 'react';

/** A session that ended while a page is open: one signs in over the page, and what was asked for goes on. */

interface SignInAgain {
  /** Tells whether one has signed in. */
  settle: (signedIn: boolean) => void;
  settled: Promise<boolean>;
}

const listeners = new Set<() => void>();
let wanted: SignInAgain | undefined;

function change(next: SignInAgain | undefined): void {
  wanted = next;
  for (const listener of listeners) listener();
}

/** Whether a page is open that one can sign in over. */
export const isPageOpen = (): boolean => listeners.size > 0;

/** Has the page ask for the password, once for all requests that were refused. */
export function signInAgain(): Promise<boolean> {
  if (wanted) return wanted.settled;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const settle = (signedIn: boolean): void => {
    change(undefined);
    resolve(signedIn);
  };
  change({ settle, settled: promise });
  return promise;
}

/** For the dialog: what waits for it; undefined while the session goes on. */
export const useSignInAgain = (): SignInAgain | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => wanted,
  );
