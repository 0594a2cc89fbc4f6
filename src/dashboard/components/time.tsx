import { Tooltip } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { ago, dateTime } from '../format/format.ts';

/** When something is next to be done: `in 40 seconds`. */
export function Due({ at }: { at: string | null }): ReactNode {
  const [now, tick] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => tick(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return at && new Date(at).getTime() > now ? <Ago at={at} /> : 'now';
}

/** How long ago, kept current; the exact time on hover and focus. */
export function Ago({ at, never = 'never' }: { at: string | null | undefined; never?: string }): ReactNode {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((turn) => turn + 1), 15_000);
    return () => clearInterval(timer);
  }, []);
  if (!at) return never;
  return (
    <Tooltip label={dateTime(at)}>
      <time dateTime={at} style={{ whiteSpace: 'nowrap' }}>
        {ago(at)}
      </time>
    </Tooltip>
  );
}
