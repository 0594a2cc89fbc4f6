import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { setClock } from '../format/format.ts';
import { graphql } from '../graphql.ts';
import { LoadingScreen } from '../layout/loading-screen.tsx';
import { useSession } from './session.tsx';

export const TestClockQuery = graphql(`
  query TestClock {
    testClock {
      now
    }
  }
`);

/** Shows the pages once it is known what today is: in the tenant's time zone, and by the clock of a test tenant. */
export function TenantClock({ children }: { children: ReactNode }): ReactNode {
  const { tenant } = useSession();
  const [{ data, error }] = useQuery({ query: TestClockQuery, pause: !tenant.test });
  if (tenant.test && !data && !error) return <LoadingScreen />;
  setClock(data?.testClock.now, tenant.timezone);
  return children;
}
