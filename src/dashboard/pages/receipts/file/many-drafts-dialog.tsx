import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useEffect, useEffectEvent, useRef, type ReactNode } from 'react';
import { TextLink } from '../../../components/text-link.tsx';
import { notifySuccess } from '../../../components/toast.ts';
import { t } from '../../../i18n/t.ts';
import { useManyDrafts, type DraftOfFile } from './many-drafts.ts';

/** At most so many files are taken at once: each becomes a draft that somebody has to read. */
export const maxFiles = 20;

/** Stores a draft for each of several files, and shows how far it is. */
export function ManyDrafts({ files, onDone }: { files: File[]; onDone: () => void }): ReactNode {
  const { drafts, busy, run } = useManyDrafts(files);
  const runAll = async (): Promise<void> => {
    if (!(await run())) return;
    notifySuccess(t('{count} drafts are added.', { count: files.length }));
    onDone();
  };
  const runFirst = useEffectEvent(() => void runAll());
  const hasBegun = useRef(false);
  useEffect(() => {
    if (!hasBegun.current) runFirst();
    hasBegun.current = true;
  }, []);
  return (
    <Stack gap="md">
      <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
        {drafts.map((draft, at) => (
          // Two files can have the same name.
          // eslint-disable-next-line react/no-array-index-key
          <li key={at}>
            <Draft draft={draft} />
          </li>
        ))}
      </Stack>
      {!busy && (
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onDone}>
            {t('Close')}
          </Button>
          <Button onClick={() => void runAll()}>{t('Try again')}</Button>
        </Group>
      )}
    </Stack>
  );
}

function Draft({ draft: { file, id, sent, problem, isDone } }: { draft: DraftOfFile }): ReactNode {
  return (
    <>
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {file.name}
        </Text>
        {problem !== undefined && id !== undefined ? (
          <TextLink to={`/receipts/${id}`}>{t('Open the draft')}</TextLink>
        ) : (
          <Text size="sm" c="dimmed" className="figure">
            {isDone ? t('Added') : sent === undefined && problem === undefined ? t('Waiting') : ''}
          </Text>
        )}
      </Group>
      {sent !== undefined && <Progress value={sent * 100} animated={sent === 1} aria-label={t('Upload')} mt={4} />}
      {problem !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {problem}
        </Text>
      )}
    </>
  );
}
