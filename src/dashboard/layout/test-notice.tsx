import { Alert } from '@mantine/core';
import { BeakerIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useSession } from '../session/session.tsx';
import { t } from '../i18n/t.ts';

/** Says on each page of a test tenant what it is. */
export function TestNotice(): ReactNode {
  const { tenant } = useSession();
  if (!tenant.test) return null;
  return (
    <Alert color="orange" variant="light" mb="md" py="xs" role="note" icon={<BeakerIcon aria-hidden />}>
      {t('This is a test tenant: nothing here is real.')}
    </Alert>
  );
}
