import { Suspense, useCallback, useEffect, useMemo, type ReactNode } from 'react';
import { Provider, useQuery } from 'urql';
import { Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { forgetSession, mayBeSignedIn } from './session/auth.ts';
import { createClient } from './api/client.ts';
import { forgetAllKept } from './forms/kept-input.ts';
import { ErrorBoundary, SessionError } from './errors/error-boundary.tsx';
import { Announcements } from './components/announce.tsx';
import { LoadingScreen } from './layout/loading-screen.tsx';
import { LiveBooks } from './session/live-books.ts';
import { TenantClock } from './session/tenant-clock.tsx';
import { Shell } from './layout/shell.tsx';
import { SignInAgain } from './session/sign-in-again.tsx';
import { locationHooks } from './navigation/location.ts';
import { PageRoutes, publicRoutes } from './routes.tsx';
import { isPageOpen, signInAgain } from './session/session-expiry.ts';
import { SessionProvider, SessionQuery } from './session/session.tsx';
import { lastTenant, rememberTenant, getTenant } from './session/tenant.ts';

export function App(): ReactNode {
  return (
    <ErrorBoundary>
      <Announcements>
        <Suspense fallback={<LoadingScreen />}>
          <Router {...locationHooks}>
            <Switch>
              {publicRoutes.map(({ path, Page }) => (
                <Route key={path} path={path} component={Page} />
              ))}
              <Route>
                <Books />
              </Route>
            </Switch>
          </Router>
        </Suspense>
      </Announcements>
    </ErrorBoundary>
  );
}

/** The pages of one tenant. The URL begins with the tenant's id, so that a link shows every user the same books. */
function Books(): ReactNode {
  const [path, navigate] = useLocation();
  const tenantId = getTenant(path);
  const signIn = useCallback(
    (ended: boolean) => {
      forgetSession();
      const { pathname, search } = window.location;
      // Several requests may have been refused. The first has opened the sign-in page already.
      if (pathname === '/sign-in') return;
      const query = new URLSearchParams({ to: pathname + search, ...(ended && { ended: 'yes' }) });
      navigate(`/sign-in?${query.toString()}`, { replace: true });
    },
    [navigate],
  );
  const renewSession = useCallback((): Promise<unknown> => {
    if (isPageOpen()) return signInAgain();
    signIn(true);
    return Promise.withResolvers().promise; // the page and its requests are discarded
  }, [signIn]);
  const client = useMemo(() => createClient(tenantId ?? lastTenant(), renewSession), [tenantId, renewSession]);
  const signedIn = mayBeSignedIn();
  useEffect(() => {
    if (!signedIn) signIn(false);
  }, [signedIn, signIn]);
  if (!signedIn) return <LoadingScreen />;
  return (
    <Provider value={client} key={tenantId}>
      {tenantId !== undefined && <LiveBooks />}
      <SignedIn tenantId={tenantId} />
    </Provider>
  );
}

function SignedIn({ tenantId }: { tenantId: string | undefined }): ReactNode {
  const [path] = useLocation();
  const [{ data, error }, refetch] = useQuery({ query: SessionQuery, requestPolicy: 'cache-first' });
  const userId = data?.me.user.id;
  const openTenantId = data?.me.tenant.id;
  useEffect(() => {
    if (userId !== undefined) forgetAllKept(userId);
  }, [userId]);
  // Once: a member who has just left it is not led back.
  useEffect(() => {
    if (openTenantId !== undefined) rememberTenant(openTenantId);
  }, [openTenantId]);
  if (!data)
    return error ? (
      <SessionError error={error} refetch={() => refetch({ requestPolicy: 'network-only' })} />
    ) : (
      <LoadingScreen />
    );
  const { me } = data;
  if (!tenantId)
    return <Redirect to={`/${me.tenant.id}${path === '/' ? '' : path}${window.location.search}`} replace />;
  return (
    <SessionProvider value={me}>
      <Router base={`/${tenantId}`}>
        <TenantClock>
          <Shell>
            <PageRoutes />
          </Shell>
        </TenantClock>
        <SignInAgain />
      </Router>
    </SessionProvider>
  );
}
