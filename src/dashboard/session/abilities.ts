import { useQuery } from 'urql';
import { graphql } from '../graphql.ts';

// A session may do everything. A token, which developers may use here, does only what its abilities allow.
const AbilitiesQuery = graphql(`
  query Abilities {
    me {
      token {
        abilities
      }
    }
  }
`);

/** Whether the caller may do something with rows of a scope such as `invoices`. */
export interface May {
  read: (scope: string) => boolean;
  write: (scope: string) => boolean;
}

/** The caller's abilities; undefined until they are known. */
export function useMay(): May | undefined {
  const [{ data }] = useQuery({ query: AbilitiesQuery, requestPolicy: 'cache-first' });
  if (!data) return undefined;
  const granted = data.me.token?.abilities ?? ['*'];
  const hasOne = (...abilities: string[]): boolean => abilities.some((ability) => granted.includes(ability));
  return {
    read: (scope) => hasOne('*', 'read', 'write', `${scope}:read`, `${scope}:write`),
    write: (scope) => hasOne('*', 'write', `${scope}:write`),
  };
}
