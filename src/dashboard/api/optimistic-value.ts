import { useState } from 'react';
import type { CombinedError } from 'urql';
import { notifySuccess, notifyError } from '../components/toast.ts';

/** A one-click action: its request, and the value that it leads to. */
interface Action<T> {
  newValue: T;
  run: () => Promise<{ error?: CombinedError }>;
  /** The notification after success. */
  message: string;
}

/**
 * An optimistic update: shows an action's new value before the server confirms it. For actions that are easily undone and
 * move no money. The server's value is shown again when it changes, or when the action fails.
 */
export function useOptimisticValue<T>(value: T): [shown: T, act: (action: Action<T>) => Promise<void>] {
  const [optimistic, setOptimistic] = useState<{ replaces: T; value: T }>();
  if (optimistic && optimistic.replaces !== value) setOptimistic(undefined);
  const act = async ({ newValue, run, message }: Action<T>): Promise<void> => {
    setOptimistic({ replaces: value, value: newValue });
    const { error } = await run();
    if (!error) return notifySuccess(message);
    setOptimistic(undefined);
    notifyError(error);
  };
  return [optimistic ? optimistic.value : value, act];
}
