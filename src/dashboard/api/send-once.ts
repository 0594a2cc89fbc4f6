import { useRef } from 'react';
import type { OperationResult } from 'urql';
import { randomId } from '../forms/random-id.ts';
import type { IdempotentContext } from './client.ts';

type SendOnce = <Data>(
  what: unknown,
  send: (context: IdempotentContext) => Promise<OperationResult<Data>>,
) => Promise<OperationResult<Data>>;

/** Sends mutations. One whose answer was lost is sent again with the same key, so that it takes effect once. */
export function useSendOnce(): SendOnce {
  const unconfirmed = useRef(new Map<unknown, string>());
  return async (what, send) => {
    const idempotencyKey = unconfirmed.current.get(what) ?? randomId();
    const result = await send({ idempotencyKey });
    if (result.error?.networkError) unconfirmed.current.set(what, idempotencyKey);
    else unconfirmed.current.delete(what);
    return result;
  };
}
