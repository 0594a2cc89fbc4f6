import { Affix, Button, Card, Center, FileButton, Group, Text } from '@mantine/core';
import { ArrowUpTrayIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { t } from '../../../i18n/t.ts';
import { CameraButton } from '../../../upload/camera-button.tsx';
import { useFileDrop } from '../../../upload/use-file-drop.ts';
import { useFileLimits } from './limits.ts';

/** Takes the files of receipts: dropped anywhere on the page, chosen, or taken by the camera. */
export function DropReceipts({ onFiles }: { onFiles: (files: File[]) => void }): ReactNode {
  const isOver = useFileDrop(onFiles);
  const { accept, acceptPictures, description } = useFileLimits();
  return (
    <Card withBorder radius="md" px="md" py="xs" mb="md" className="drop-row">
      <Group gap="xs">
        <ArrowUpTrayIcon width={20} aria-hidden />
        <Text size="sm" flex={1} miw="12rem">
          <span className="wide-pointer">{t('Drop receipts anywhere on this page, or choose their files.')}</span>{' '}
          <Text component="span" inherit c="dimmed">
            {description}
          </Text>
        </Text>
        <FileButton multiple accept={accept} inputProps={{ 'aria-label': t('Files of receipts') }} onChange={onFiles}>
          {(props) => (
            <Button {...props} variant="default" size="sm">
              {t('Choose files')}
            </Button>
          )}
        </FileButton>
        <CameraButton accept={acceptPictures} onChange={(file) => onFiles([file])} />
      </Group>
      {isOver && (
        <Affix position={{ top: 0, bottom: 0, left: 0, right: 0 }} zIndex={250} className="drop-cover">
          <Center h="100%">
            <Text fw={600} size="lg">
              {t('Drop the receipts here')}
            </Text>
          </Center>
        </Affix>
      )}
    </Card>
  );
}
