import { Button, EmptyState } from '@mantine/core';
import { CheckCircleIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { t } from '../../i18n/t.ts';

/** Replaces the list of unmatched transactions when there are none. */
export const NothingToMatch = (): ReactNode => (
  <EmptyState
    icon={<CheckCircleIcon width={40} aria-hidden />}
    title={t('Nothing to match')}
    description={t('Every bank transaction is matched or ignored.')}
  >
    <Button component={Link} to="/bank-transactions" variant="default">
      {t('All transactions')}
    </Button>
  </EmptyState>
);
