import { createContext, useContext } from 'react';
import { graphql, type ResultOf } from '../graphql.ts';

export const SessionQuery = graphql(`
  query Session {
    me {
      user {
        id
        name
        email
      }
      tenant {
        id
        name
        country
        defaultCurrency
        timezone
        test
      }
      tenants {
        id
        name
      }
    }
  }
`);

export type Session = ResultOf<typeof SessionQuery>['me'];

const SessionContext = createContext<Session | null>(null);
export const SessionProvider = SessionContext.Provider;

/** The signed-in user and the current tenant. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('There is no session here.');
  return session;
}
