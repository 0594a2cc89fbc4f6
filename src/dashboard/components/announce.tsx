import { VisuallyHidden } from '@mantine/core';
import { createContext, useCallback, useContext, useState, type ReactNode } from 'react';

type Announce = (text: string) => void;

const AnnounceContext = createContext<Announce>(() => {});

/** Announces visible changes to screen readers: `12 invoices found`. */
export const useAnnounce = (): Announce => useContext(AnnounceContext);

/** Provides the live region that announcements are written to. */
export function Announcements({ children }: { children: ReactNode }): ReactNode {
  const [announcement, setAnnouncement] = useState({ text: '', key: 0 });
  const announce = useCallback((text: string) => setAnnouncement(({ key }) => ({ text, key: key + 1 })), []);
  return (
    <AnnounceContext value={announce}>
      {children}
      <VisuallyHidden role="status" aria-live="polite">
        {/* A new element for each announcement, so that a repeated text is announced again. */}
        <span key={announcement.key}>{announcement.text}</span>
      </VisuallyHidden>
    </AnnounceContext>
  );
}
