import { Alert, Button, Group, Stack } from '@mantine/core';
import { CheckCircleIcon } from '@heroicons/react/24/outline';
import { useEffect, useRef, type ReactNode } from 'react';
import { Link } from 'wouter';
import { Counts } from './check-file.tsx';
import type { Result } from './import-mutations.ts';
import { records as known, type Records } from './records.ts';
import { t } from '../../i18n/t.ts';

interface Props {
  records: Records;
  result: Result;
  onAgain: () => void;
}

/** The result of an import. It takes the focus, so that screen readers announce it. */
export function Outcome({ records, result, onAgain }: Props): ReactNode {
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => region.current?.focus(), []);
  return (
    <Stack ref={region} tabIndex={-1} role="region" aria-label={t('Import result')} style={{ outline: 'none' }}>
      <Alert
        color="teal"
        icon={<CheckCircleIcon aria-hidden />}
        title={result.imported > 0 ? t('The file is imported') : t('Nothing is new in this file')}
      />
      <Counts result={result} isDone />
      <Group gap="xs">
        <Button component={Link} to={known[records].list}>
          {t('Show the list')}
        </Button>
        <Button variant="default" onClick={onAgain}>
          {t('Import another file')}
        </Button>
      </Group>
    </Stack>
  );
}
