import { Button, EmptyState } from '@mantine/core';
import { MapIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Page } from './page.tsx';

export function NotFound(): ReactNode {
  return (
    <Page title="Not found">
      <EmptyState
        py="xl"
        icon={<MapIcon width={40} aria-hidden />}
        title="Page not found"
        description="The link may be outdated or mistyped."
      >
        <Button component={Link} to="/" variant="default">
          Go to overview
        </Button>
      </EmptyState>
    </Page>
  );
}
