import { Affix, Button, Card, Center, FileButton, Group, Input, Stack, Text } from '@mantine/core';
import { ArrowUpTrayIcon } from '@heroicons/react/24/outline';
import { useId, type ReactNode } from 'react';
import { t } from '../i18n/t.ts';
import { CameraButton } from './camera-button.tsx';
import './file-row.css';

interface Props {
  /** The files' name for screen readers: `Files of receipts`. */
  label: string;
  /** Where files can be dropped. A phone, on which nothing is dropped, doesn't show it. */
  text: string;
  /** The accepted files. */
  description: string;
  accept: string;
  acceptPictures: string;
  multiple?: boolean;
  error?: ReactNode;
  onFiles: (files: File[]) => void;
}

/** A row that says that files can be dropped on the page, and takes those that are chosen or photographed. */
export function FileRow({
  label,
  text,
  description,
  accept,
  acceptPictures,
  multiple,
  error,
  onFiles,
}: Props): ReactNode {
  const id = useId();
  const choose = (chosen: File | File[] | null): void => onFiles([chosen ?? []].flat());
  return (
    <Stack gap="xs">
      <Card withBorder radius="md" px="md" py="xs" className="drop-row">
        <Group gap="xs">
          <ArrowUpTrayIcon width={20} aria-hidden />
          <Text size="sm" flex={1} miw="12rem">
            <span className="mouse-only">{text}</span>{' '}
            <Text component="span" inherit c="dimmed" id={`${id}-description`}>
              {description}
            </Text>
          </Text>
          <FileButton
            multiple={multiple ?? false}
            accept={accept}
            inputProps={{ 'aria-label': label }}
            onChange={choose}
          >
            {(props) => (
              <Button
                {...props}
                variant="default"
                size="sm"
                aria-describedby={error ? `${id}-error` : `${id}-description`}
              >
                {multiple ? t('Choose files') : t('Choose a file')}
              </Button>
            )}
          </FileButton>
          <CameraButton accept={acceptPictures} onChange={(file) => onFiles([file])} />
        </Group>
      </Card>
      {error && (
        <Input.Error id={`${id}-error`} role="alert" size="sm">
          {error}
        </Input.Error>
      )}
    </Stack>
  );
}

/** Covers the page while files are over it. */
export const DropCover = ({ text }: { text: string }): ReactNode => (
  <Affix position={{ top: 0, bottom: 0, left: 0, right: 0 }} zIndex={250} className="drop-cover">
    <Center h="100%">
      <Text fw={600} size="lg">
        {text}
      </Text>
    </Center>
  </Affix>
);
