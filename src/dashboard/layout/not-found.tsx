import { Button, EmptyState } from '@mantine/core';
import { MapIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Page } from './page.tsx';
import { t } from '../i18n/t.ts';

export function NotFound(): ReactNode {
  return (
    <Page title={t('Not found')}>
      <EmptyState
        py="xl"
        icon={<MapIcon width={40} aria-hidden />}
        title={t('Page not found')}
        description={t('The link may be outdated or mistyped.')}
      >
        <Button component={Link} to="/" variant="default">
          {t('Go to overview')}
        </Button>
      </EmptyState>
    </Page>
  );
}
