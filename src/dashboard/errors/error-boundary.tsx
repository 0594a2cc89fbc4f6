import { Button, Center, EmptyState, Title } from '@mantine/core';
import { ExclamationTriangleIcon, LockClosedIcon } from '@heroicons/react/24/outline';
import { Component, useEffect, useState, type ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { Link, useLocation } from 'wouter';
import { signOut } from '../session/auth.ts';
import { getCode } from '../api/client.ts';
import { fieldErrors, errorMessage } from './form-errors.ts';
import { PageLoadError, reloadAfterUpdate, reloadIfReachable } from '../navigation/lazy-page.ts';
import { fieldName } from './plain-messages.ts';
import { forgetTenant, getTenant, lastTenant } from '../session/tenant.ts';
import { t } from '../i18n/t.ts';
import { product } from '../layout/product.ts';

/** Catches the errors of one page, so that the rest of the app keeps working. */
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
      <ErrorState
        title={t('Something went wrong on this page')}
        description={t('This is our error. Your data has not changed.')}
      >
        <Button variant="default" onClick={() => window.location.reload()}>
          {t('Reload')}
        </Button>
      </ErrorState>
    );
  }
}

/** Replaces a page whose script could not be loaded. */
function NotLoaded(): ReactNode {
  const [busy, setBusy] = useState(false);
  const [waiting, setWaiting] = useState(true);
  const retry = async (): Promise<void> => {
    setBusy(true);
    await reloadIfReachable();
    setBusy(false);
  };
  useEffect(() => {
    void reloadAfterUpdate().then(setWaiting);
  }, []);
  if (waiting) return null;
  return (
    <ErrorState
      title={t('This page couldn’t be loaded')}
      description={t('The server can’t be reached. Check your connection, and try again.')}
    >
      <Button variant="default" onClick={() => void retry()} loading={busy}>
        {t('Try again')}
      </Button>
    </ErrorState>
  );
}

/** Replaces a page's data when they can't be loaded. */
export function LoadError({ error, refetch }: { error: CombinedError; refetch?: () => void }): ReactNode {
  const [path] = useLocation();
  const invalid = fieldErrors(error).map((each) => each.path);
  if (getCode(error) === 'NOT_FOUND' || invalid.includes('id')) {
    return <ErrorState title={t('Not found')} description={t('It was deleted, or belongs to another tenant.')} />;
  }
  if (invalid.length > 0) {
    const fields = [...new Set(invalid.map(fieldName))].join(', ');
    return (
      <ErrorState
        title={t('This link doesn’t work')}
        description={t('It has an invalid value: {fields}. The link may be outdated or mistyped.', { fields })}
      >
        <Button component={Link} to={path} variant="default">
          {t('Show the list without filters')}
        </Button>
      </ErrorState>
    );
  }
  return (
    <ErrorState title={t('Couldn’t load this')} description={errorMessage(error)}>
      {refetch && (
        <Button variant="default" onClick={refetch}>
          {t('Try again')}
        </Button>
      )}
    </ErrorState>
  );
}

interface ErrorStateProps {
  title: string;
  description: string;
  /** Actions that may solve it. */
  children?: ReactNode;
}

const ErrorState = ({ title, description, children }: ErrorStateProps): ReactNode => (
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

/** Replaces the app when the session can't be loaded. */
export function SessionError({ error, refetch }: { error: CombinedError; refetch: () => void }): ReactNode {
  if (getCode(error) === 'UNAUTHENTICATED') return null; // the sign-in page opens
  const forbidden = getCode(error) === 'FORBIDDEN';
  // Without a tenant, the server has looked for any.
  const asked = getTenant(window.location.pathname) ?? lastTenant();
  const openDefaultTenant = (): void => {
    forgetTenant();
    window.location.assign('/');
  };
  const handleSignOut = async (): Promise<void> => {
    await signOut();
    window.location.assign('/sign-in');
  };
  return (
    <Center mih="100dvh" component="main" p="md">
      <title>{product}</title>
      {forbidden ? (
        <EmptyState
          icon={<LockClosedIcon width={40} aria-hidden />}
          title={
            <Title order={1} size="inherit">
              {t('You don’t have access to these books')}
            </Title>
          }
          description={t('You aren’t a member of this tenant, or it is closed. Ask a member for an invitation.')}
        >
          {asked && <Button onClick={openDefaultTenant}>{t('Open my books')}</Button>}
          <Button variant="default" onClick={handleSignOut}>
            {t('Sign out')}
          </Button>
        </EmptyState>
      ) : (
        <LoadError error={error} refetch={refetch} />
      )}
    </Center>
  );
}
