import { useEffect, useEffectEvent } from 'react';

const pauseMs = 1000;

/** Refetches again and again while a job is not finished. */
export function useProgress(isActive: boolean, refetch: (options: { requestPolicy: 'network-only' }) => void): void {
  const refetchNow = useEffectEvent(() => refetch({ requestPolicy: 'network-only' }));
  useEffect(() => {
    if (!isActive) return;
    const timer = setInterval(() => refetchNow(), pauseMs);
    return () => clearInterval(timer);
  }, [isActive]);
}
