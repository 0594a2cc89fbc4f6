import { Tooltip } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { ago, dateTime } from '../format/format.ts';
import { t } from '../i18n/t.ts';

/** The time until an instant: `in 40 seconds`. It counts down. */
export function Due({ at }: { at: string | null }): ReactNode {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return at && new Date(at).getTime() > now ? <Ago at={at} /> : t('now');
}

/** The time since an instant, kept current. A tooltip has the exact time. */
export function Ago({ at, never = t('never') }: { at: string | null | undefined; never?: string }): ReactNode {
  const [, rerender] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => rerender((count) => count + 1), 15_000);
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
