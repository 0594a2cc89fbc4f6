import { Button, FileButton, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { bytes } from '../../../format/format.ts';
import { t } from '../../../i18n/t.ts';
import { DropCover, FileRow } from '../../../upload/file-row.tsx';
import { useFileDrop } from '../../../upload/use-file-drop.ts';
import { FileView } from './file-view.tsx';
import { getType, useFileLimits } from './limits.ts';

interface Props {
  file: File | undefined;
  /** Undefined while the file is uploaded: it can't be another one then. */
  onFile: ((file: File) => void) | undefined;
  onRemove: (() => void) | undefined;
}

/** The file of a receipt that isn't stored yet, or the place to drop it. */
export function FilePanel({ file, onFile, onRemove }: Props): ReactNode {
  const { check, ...limits } = useFileLimits();
  const [problem, setProblem] = useState<string>();
  const choose = (chosen: File | null | undefined): void => {
    if (!chosen) return;
    const known = check(chosen);
    setProblem(known);
    if (known === undefined) onFile?.(chosen);
  };
  const isOver = useFileDrop(onFile && (([first]) => choose(first)));
  const cover = isOver && <DropCover text={t('Drop the file here')} />;
  if (!file)
    return (
      <>
        <FileRow
          label={t('File of the receipt')}
          text={t('Drop the file here, or choose it.')}
          error={problem}
          {...limits}
          onFiles={([first]) => choose(first)}
        />
        {cover}
      </>
    );
  return (
    <FoldedFile name={file.name} size={file.size} view={<FileView file={file} type={getType(file)} name={file.name} />}>
      {onFile && (
        <FileButton accept={limits.accept} inputProps={{ 'aria-label': t('File of the receipt') }} onChange={choose}>
          {(props) => (
            <Button {...props} variant="default" size="compact-sm">
              {t('Choose another')}
            </Button>
          )}
        </FileButton>
      )}
      {onRemove && (
        <Button variant="subtle" color="red" size="compact-sm" onClick={onRemove}>
          {t('Remove')}
        </Button>
      )}
      {cover}
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" w="100%">
          {problem}
        </Text>
      )}
    </FoldedFile>
  );
}

interface FoldedProps {
  name: string;
  size: number;
  view: ReactNode;
  children?: ReactNode;
}

/** A file with its name. Where it stands above a form, it can be folded away. */
export function FoldedFile({ name, size, view, children }: FoldedProps): ReactNode {
  const [opened, { toggle }] = useDisclosure(true);
  return (
    <Stack gap="xs" h="100%">
      <Group gap="xs">
        <Text size="sm" fw={500} flex={1} miw="8rem" style={{ overflowWrap: 'anywhere' }}>
          {name}{' '}
          <Text component="span" inherit c="dimmed" fw={400} className="figure">
            {bytes(size)}
          </Text>
        </Text>
        <Button
          variant="default"
          size="compact-sm"
          hiddenFrom="lg"
          aria-expanded={opened}
          aria-label={opened ? t('Hide the file') : t('Show the file')}
          onClick={toggle}
        >
          {opened ? t('Hide') : t('Show')}
        </Button>
        {children}
      </Group>
      <div className="folded" data-closed={!opened || undefined}>
        {view}
      </div>
    </Stack>
  );
}
