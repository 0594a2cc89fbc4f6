import { VisuallyHidden } from '@mantine/core';
import { createContext, useCallback, useContext, useState, type ReactNode } from 'react';

type Announce = (text: string) => void;

const AnnounceContext = createContext<Announce>(() => {});

/** Announces visible changes to screen readers: `12 invoices found`. */
export const useAnnounce = (): Announce => useContext(AnnounceContext);

/** The region that announcements are made in. */
export function Announcements({ children }: { children: ReactNode }): ReactNode {
  const [said, setSaid] = useState({ text: '', turn: 0 });
  const announce = useCallback((text: string) => setSaid(({ turn }) => ({ text, turn: turn + 1 })), []);
  return (
    <AnnounceContext value={announce}>
      {children}
      <VisuallyHidden role="status" aria-live="polite">
        {/* A new element each time: the same text twice is said twice. */}
        <span key={said.turn}>{said.text}</span>
      </VisuallyHidden>
    </AnnounceContext>
  );
}
