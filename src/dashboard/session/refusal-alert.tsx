import { Alert } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import type { Refusal } from './auth.ts';
import { wait } from '../format/format.ts';
import { t } from '../i18n/t.ts';

/** Shows why a sign-in or a similar attempt was refused. Errors of a field are shown beside the field instead. */
export function RefusalAlert({ refusal }: { refusal: Refusal | undefined }): ReactNode {
  const blocked = useCountdown(refusal);
  if (!refusal || Object.keys(refusal.fields).length > 0) return null;
  return (
    <Alert color={refusal.retryAfter && blocked === 0 ? 'gray' : 'red'} role="alert">
      {refusal.retryAfter ? (
        blocked > 0 ? (
          // Screen readers say it once, and not each second.
          <span role="timer">{t('Too many attempts. You can try again in {time}.', { time: wait(blocked) })}</span>
        ) : (
          t('You can try again now.')
        )
      ) : (
        refusal.message
      )}
    </Alert>
  );
}

/** Seconds until the next attempt is allowed. */
export function useCountdown(refusal: Refusal | undefined): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const until = Date.now() + (refusal?.retryAfter ?? 0) * 1000;
    const tick = (): void => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)));
    tick();
    if (!refusal?.retryAfter) return undefined;
    const timer = setInterval(tick, 1000);
    return () => clearInterval(timer);
  }, [refusal]);
  return left;
}
