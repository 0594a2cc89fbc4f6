import { Button, Card, Group, Input, Stack, Text } from '@mantine/core';
import { ArrowUpTrayIcon, DocumentIcon } from '@heroicons/react/24/outline';
import { useId, useRef, type ReactNode } from 'react';
import { bytes } from '../format/format.ts';
import { notifyError } from '../components/toast.ts';
import { useFileDrop } from './use-file-drop.ts';
import { t } from '../i18n/t.ts';

interface Props {
  /** The file's name for screen readers: `Bank statement`. */
  label: string;
  file: File | null;
  onChange: (file: File) => void;
  /** The types that are offered to choose, with commas between them. Default: all. */
  accept?: string;
  /** The accepted files. */
  description: string;
  error?: ReactNode;
  disabled?: boolean;
  /** The path of the form's field. */
  'data-path'?: string;
}

/** Accepts one file: dropped, here or beside, or selected by the button. */
export function DropZone(props: Props): ReactNode {
  const { label, file, onChange, accept, description, error, disabled = false, ...rest } = props;
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const dragging = useFileDrop(([dropped, ...others]) => {
    if (disabled || !dropped) return;
    if (others.length > 0) notifyError(t('Drop one file only.'));
    else onChange(dropped);
  });
  const Icon = file ? DocumentIcon : ArrowUpTrayIcon;
  return (
    <Stack gap="xs">
      <Card
        withBorder
        radius="md"
        p="xl"
        style={{
          borderStyle: 'dashed',
          ...(dragging && !disabled && { borderColor: 'var(--mantine-primary-color-filled)' }),
        }}
      >
        <Group justify="center" gap="md">
          <Icon width={32} aria-hidden />
          <div>
            <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
              {file ? file.name : t('Drop the file here')}
            </Text>
            <Text size="sm" c="dimmed" id={`${id}-description`}>
              {file ? bytes(file.size) : description}
            </Text>
          </div>
          <Button
            {...rest}
            variant="default"
            // Not `disabled`: the button gets the focus back when the file has an error.
            aria-disabled={disabled}
            aria-describedby={error ? `${id}-error` : `${id}-description`}
            onClick={() => !disabled && input.current?.click()}
          >
            {file ? t('Choose another') : t('Choose a file')}
          </Button>
          <input
            ref={input}
            type="file"
            hidden
            accept={accept}
            aria-label={label}
            onChange={({ currentTarget }) => {
              const [picked] = currentTarget.files ?? [];
              if (picked) onChange(picked);
              // So that the same file can be selected again after it was corrected.
              currentTarget.value = '';
            }}
          />
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
