import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { CheckCircleIcon, ExclamationTriangleIcon } from '@heroicons/react/24/outline';
import { useEffect, useRef, type ReactNode } from 'react';
import { Link } from 'wouter';
import { DescriptionList } from '../../../components/description-list.tsx';
import { count } from '../../../format/format.ts';
import { saySentence } from '../../../errors/server-sentences.ts';
import type { Imported } from './upload-statement.tsx';
import { t } from '../../../i18n/t.ts';

interface Props {
  outcome: Imported;
  fileName: string;
  onUploadAnother: () => void;
}

/** The result of an import. It takes the focus, so that screen readers announce it. */
export function Outcome({
  outcome: { imported, skipped, matched, warnings },
  fileName,
  onUploadAnother,
}: Props): ReactNode {
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => region.current?.focus(), []);
  return (
    <Stack ref={region} tabIndex={-1} role="region" aria-label={t('Import result')} style={{ outline: 'none' }}>
      <Alert color="teal" icon={<CheckCircleIcon aria-hidden />} title={t('The statement is imported')}>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {fileName}
        </Text>
      </Alert>
      <DescriptionList
        items={[
          [t('New transactions'), count(imported)],
          [t('Matched automatically'), count(matched)],
          [t('Already imported, skipped'), count(skipped)],
        ]}
      />
      {warnings.length > 0 && (
        <Alert color="yellow" icon={<ExclamationTriangleIcon aria-hidden />} title={t('Warnings about the file')}>
          <Text component="ul" size="sm" m={0} pl="md">
            {warnings.map((warning) => (
              <li key={warning}>{saySentence(warning)}</li>
            ))}
          </Text>
        </Alert>
      )}
      <Group gap="xs">
        <Button component={Link} to="/bank-transactions?status=UNMATCHED">
          {t('Review unmatched transactions')}
        </Button>
        <Button variant="default" onClick={onUploadAnother}>
          {t('Upload another file')}
        </Button>
      </Group>
    </Stack>
  );
}
