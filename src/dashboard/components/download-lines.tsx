import { Button } from '@mantine/core';
import { ArrowDownTrayIcon } from '@heroicons/react/24/outline';
import { useState, type ReactNode } from 'react';
import { CombinedError } from 'urql';
import { notifyError } from './toast.ts';
import { saveFile } from '../upload/save-file.ts';

/** Saves a file of JSON Lines, which are read when the button is pressed. */
export function DownloadLines({
  fileName,
  read,
  children,
}: {
  fileName: string;
  read: () => Promise<string[]>;
  children: string;
}): ReactNode {
  const [busy, setBusy] = useState(false);
  const download = async (): Promise<void> => {
    setBusy(true);
    try {
      saveFile(fileName, new Blob(await read(), { type: 'application/jsonl' }));
    } catch (error) {
      notifyError(error instanceof CombinedError ? error : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      variant="default"
      leftSection={<ArrowDownTrayIcon width={18} aria-hidden />}
      loading={busy}
      onClick={() => void download()}
    >
      {children}
    </Button>
  );
}
