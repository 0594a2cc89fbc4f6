import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../../i18n/t.ts';
import { DropCover, FileRow } from '../../../upload/file-row.tsx';
import { useFileDrop } from '../../../upload/use-file-drop.ts';
import { useFileLimits } from './limits.ts';

interface Props {
  /** Whether a dialog is open, which takes the files. */
  isCovered: boolean;
  onFiles: (files: File[]) => void;
}

/** Takes the files of receipts: dropped anywhere on the page, chosen, or taken by the camera. */
export function DropReceipts({ isCovered, onFiles }: Props): ReactNode {
  const isOver = useFileDrop(isCovered ? undefined : onFiles);
  const { check: _, ...limits } = useFileLimits();
  return (
    <Box mb="md">
      <FileRow
        label={t('Files of receipts')}
        text={t('Drop receipts anywhere on this page, or choose their files.')}
        multiple
        {...limits}
        onFiles={onFiles}
      />
      {isOver && <DropCover text={t('Drop the receipts here')} />}
    </Box>
  );
}
