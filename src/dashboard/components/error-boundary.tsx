import { Button, Center, EmptyState, Title } from '@mantine/core';
import { ExclamationTriangleIcon, LockClosedIcon } from '@heroicons/react/24/outline';
import { Component, type ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { signOut } from '../auth.ts';
import { codeOf } from '../client.ts';
import { inWords } from '../faults.ts';
import { forgetTenant } from '../tenant.ts';

/** Keeps a fault of one page to that page. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <EmptyState
        role="alert"
        py="xl"
        icon={<ExclamationTriangleIcon width={40} aria-hidden />}
        title="This page broke"
        description="That is a fault of ours. Nothing in the books has changed by it."
      >
        <Button variant="default" onClick={() => window.location.reload()}>
          Load it again
        </Button>
      </EmptyState>
    );
  }
}

/** Where a page's data should be, and can't be had. */
export function Unavailable({ error, again }: { error: CombinedError; again?: () => void }): ReactNode {
  const missing = codeOf(error) === 'NOT_FOUND';
  return (
    <EmptyState
      role="alert"
      py="xl"
      icon={<ExclamationTriangleIcon width={40} aria-hidden />}
      title={missing ? 'There is no such thing here' : 'This can’t be shown'}
      description={missing ? 'It was deleted, or belongs to another tenant.' : inWords(error)}
    >
      {again && !missing && (
        <Button variant="default" onClick={again}>
          Try again
        </Button>
      )}
    </EmptyState>
  );
}

/** Where not even the session is known. */
export function Broken({ error, again }: { error: CombinedError; again: () => void }): ReactNode {
  if (codeOf(error) === 'UNAUTHENTICATED') return null; // the sign-in page is on its way
  const forbidden = codeOf(error) === 'FORBIDDEN';
  const openOwn = (): void => {
    forgetTenant();
    window.location.assign('/');
  };
  const leave = async (): Promise<void> => {
    await signOut();
    window.location.assign('/sign-in');
  };
  return (
    <Center mih="100dvh" component="main" p="md">
      <title>Kontor</title>
      {forbidden ? (
        <EmptyState
          icon={<LockClosedIcon width={40} aria-hidden />}
          title={
            <Title order={1} size="inherit">
              These books aren’t open to you
            </Title>
          }
          description="You aren’t a member of this tenant, or it is closed. Ask one of its members for an invitation."
        >
          <Button onClick={openOwn}>Open my own</Button>
          <Button variant="default" onClick={leave}>
            Sign out
          </Button>
        </EmptyState>
      ) : (
        <Unavailable error={error} again={again} />
      )}
    </Center>
  );
}
