import { ShieldCheckIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { getStartOfDay } from '../../format/day-and-time.ts';
import { graphql } from '../../graphql.ts';
import { Choice, period } from '../../list/list-filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { EntryTable } from './entry-table.tsx';
import { inWords, resourceNames } from './fields.ts';
import { t } from '../../i18n/t.ts';

const ActorsQuery = graphql(`
  query AuditActors {
    members {
      user {
        id
        name
      }
    }
    auditUsers {
      id
      name
    }
    apiTokens {
      id
      name
    }
  }
`);

export default function AuditLog(): ReactNode {
  const [{ data }] = useQuery({ query: ActorsQuery });
  const members = (data?.members ?? []).map(({ user }) => ({ value: user.id, label: user.name }));
  const present = new Set(members.map(({ value }) => value));
  const former = (data?.auditUsers ?? [])
    .filter(({ id }) => !present.has(id))
    .map(({ id, name }) => ({
      value: id,
      label:
        name === null ? t('Account that is gone (…{end})', { end: id.slice(-4) }) : t('{name}, no member', { name }),
    }));
  const tokens = (data?.apiTokens ?? []).map(({ id, name }) => ({ value: id, label: t('Token {name}', { name }) }));
  return (
    <ListPage
      title={t('Audit log')}
      description={t('Every change of the books and the settings. Nobody can change it.')}
      exportable="AUDIT_LOG"
      table={EntryTable}
      filters={{
        resource: (filter) => (
          <Choice
            label={t('What')}
            all={t('Everything')}
            options={resourceNames.map((name) => ({ value: name, label: inWords(name) }))}
            searchable
            {...filter}
          />
        ),
        actor: (filter) => (
          <Choice
            label={t('Who')}
            all={t('Anybody')}
            options={[...members, ...former, ...tokens]}
            searchable
            {...filter}
          />
        ),
        ...period,
        id: () => null, // a link from a page sets it
      }}
      variables={({ resource, actor, from, to, id }) => ({
        resource,
        actor,
        from: from && getStartOfDay(from, 0),
        to: to && getStartOfDay(to, 1),
        resourceId: id,
      })}
      empty={{
        icon: ShieldCheckIcon,
        title: t('No changes yet'),
        description: t('Each change of the books will stand here.'),
        noMatch: t('No changes match'),
      }}
    />
  );
}
