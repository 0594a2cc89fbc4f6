import { Button, Center, EmptyState, Title } from '@mantine/core';
import { ExclamationTriangleIcon, LockClosedIcon } from '@heroicons/react/24/outline';
import { Component, useEffect, useState, type ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { Link, useLocation } from 'wouter';
import { signOut } from '../session/auth.ts';
import { codeOf } from '../api/client.ts';
import { fieldErrors, errorMessage } from './form-errors.ts';
import { PageLoadError, reloadAfterUpdate, reloadIfReachable } from '../navigation/lazy-page.ts';
import { fieldName } from './plain-messages.ts';
import { forgetTenant } from '../session/tenant.ts';

/** Keeps a fault of one page to that page. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    if (error instanceof PageLoadError) return <NotLoaded />;
    return (
      <EmptyState
        role="alert"
        py="xl"
        icon={<ExclamationTriangleIcon width={40} aria-hidden />}
        title="Something went wrong on this page"
        description="This is our error. Your data has not changed."
      >
        <Button variant="default" onClick={() => window.location.reload()}>
          Load it again
        </Button>
      </EmptyState>
    );
  }
}

/** Replaces a page whose script could not be loaded. */
function NotLoaded(): ReactNode {
  const [busy, setBusy] = useState(false);
  const [waiting, setWaiting] = useState(true);
  const again = async (): Promise<void> => {
    setBusy(true);
    await reloadIfReachable();
    setBusy(false);
  };
  useEffect(() => {
    void reloadAfterUpdate().then(setWaiting);
  }, []);
  if (waiting) return null;
  return (
    <Problem
      title="This page couldn’t be loaded"
      description="The server can’t be reached. Check your connection, and try again."
    >
      <Button variant="default" onClick={() => void again()} loading={busy}>
        Try again
      </Button>
    </Problem>
  );
}

/** Where a page's data should be, and can't be had. */
export function Unavailable({ error, refetch }: { error: CombinedError; refetch?: () => void }): ReactNode {
  const [path] = useLocation();
  const invalid = fieldErrors(error).map((each) => each.path);
  if (codeOf(error) === 'NOT_FOUND' || invalid.includes('id')) {
    return <Problem title="Not found" description="It was deleted, or belongs to another tenant." />;
  }
  if (invalid.length > 0) {
    const fields = [...new Set(invalid.map(fieldName))].join(', ');
    return (
      <Problem
        title="This link doesn’t work"
        description={`Its address has a value that can’t be used: ${fields}. The link may be old, or mistyped.`}
      >
        <Button component={Link} to={path} variant="default">
          Show the list without filters
        </Button>
      </Problem>
    );
  }
  return (
    <Problem title="This can’t be shown" description={errorMessage(error)}>
      {refetch && (
        <Button variant="default" onClick={refetch}>
          Try again
        </Button>
      )}
    </Problem>
  );
}

interface ProblemProps {
  title: string;
  description: string;
  /** What can be done about it. */
  children?: ReactNode;
}

const Problem = ({ title, description, children }: ProblemProps): ReactNode => (
  <EmptyState
    role="alert"
    py="xl"
    icon={<ExclamationTriangleIcon width={40} aria-hidden />}
    title={title}
    description={description}
  >
    {children}
  </EmptyState>
);

/** Where not even the session is known. */
export function Broken({ error, refetch }: { error: CombinedError; refetch: () => void }): ReactNode {
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
        <Unavailable error={error} refetch={refetch} />
      )}
    </Center>
  );
}
