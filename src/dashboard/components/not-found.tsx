import { Button, EmptyState } from '@mantine/core';
import { MapIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Page } from './page.tsx';

export function NotFound(): ReactNode {
  return (
    <Page title="No such page">
      <EmptyState
        py="xl"
        icon={<MapIcon width={40} aria-hidden />}
        title="Nothing lives at this address"
        description="The link may be old, or mistyped."
      >
        <Button component={Link} to="/" variant="default">
          To the first page
        </Button>
      </EmptyState>
    </Page>
  );
}
