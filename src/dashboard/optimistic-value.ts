import { useState } from 'react';
import type { CombinedError } from 'urql';
import { done, failed } from './components/toast.ts';

/** What an action of one click asks for, and what it makes of the value shown. */
interface Action<T> {
  newValue: T;
  run: () => Promise<{ error?: CombinedError }>;
  /** Said once it is so. */
  message: string;
}

/**
 * Shows at once what an action will make of a value, where it is as easily undone as done and moves no money. What the
 * server says stands again as soon as it says something new, or refuses.
 */
export function useOptimisticValue<T>(value: T): [shown: T, act: (action: Action<T>) => Promise<void>] {
  const [expected, expect] = useState<{ instead: T; value: T }>();
  if (expected && expected.instead !== value) expect(undefined);
  const act = async ({ newValue: becomes, run: ask, message: said }: Action<T>): Promise<void> => {
    expect({ instead: value, value: becomes });
    const { error } = await ask();
    if (!error) return done(said);
    expect(undefined);
    failed(error);
  };
  return [expected ? expected.value : value, act];
}
