import { useState } from 'react';
import type { CombinedError } from 'urql';
import { done, failed } from '../components/toast.ts';

/** A one-click action: its request, and the value that it leads to. */
interface Action<T> {
  newValue: T;
  run: () => Promise<{ error?: CombinedError }>;
  /** The message after success. */
  message: string;
}

/**
 * Shows an action's new value before the server confirms it, for actions that are easily undone and move no money. The server's
 * value is shown again when it changes, or when the action fails.
 */
export function useOptimisticValue<T>(value: T): [shown: T, act: (action: Action<T>) => Promise<void>] {
  const [expected, expect] = useState<{ instead: T; value: T }>();
  if (expected && expected.instead !== value) expect(undefined);
  const act = async ({ newValue, run, message }: Action<T>): Promise<void> => {
    expect({ instead: value, value: newValue });
    const { error } = await run();
    if (!error) return done(message);
    expect(undefined);
    failed(error);
  };
  return [expected ? expected.value : value, act];
}
