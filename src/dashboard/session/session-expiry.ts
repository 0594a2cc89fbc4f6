import { useSyncExternalStore } from 'react';

// When the session expires while a page is open, the user signs in over the page, and refused requests are repeated.

interface SignInAgain {
  /** Reports whether the user has signed in. */
  settle: (signedIn: boolean) => void;
  settled: Promise<boolean>;
}

const listeners = new Set<() => void>();
let pending: SignInAgain | undefined;

function change(next: SignInAgain | undefined): void {
  pending = next;
  for (const listener of listeners) listener();
}

/** Whether a page is open that can show the sign-in dialog. */
export const isPageOpen = (): boolean => listeners.size > 0;

/** Opens the sign-in dialog, once for all refused requests. */
export function signInAgain(): Promise<boolean> {
  if (pending) return pending.settled;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const settle = (signedIn: boolean): void => {
    change(undefined);
    resolve(signedIn);
  };
  change({ settle, settled: promise });
  return promise;
}

/** For the sign-in dialog: the pending sign-in; undefined while the session is valid. */
export const useSignInAgain = (): SignInAgain | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => pending,
  );
