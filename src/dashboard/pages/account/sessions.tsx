import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { signOutEverywhere } from '../../session/auth.ts';
import { confirm } from '../../components/confirm.tsx';
import type { Column } from '../../list/responsive-table.tsx';
import { SimpleTable } from '../../list/simple-table.tsx';
import { Ago } from '../../components/time.tsx';
import { notifySuccess, notifyError } from '../../components/toast.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { describeBrowser } from './browser.ts';
import { t } from '../../i18n/t.ts';

const SessionsQuery = graphql(`
  query Sessions {
    sessions {
      id
      createdAt
      lastSeenAt
      userAgent
      current
    }
  }
`);

const RevokeSession = graphql(`
  mutation RevokeSession($id: UUID!) {
    revokeSession(id: $id) {
      id
    }
  }
`);

const RevokeOtherSessions = graphql(`
  mutation RevokeOtherSessions {
    revokeOtherSessions
  }
`);

type Session = ResultOf<typeof SessionsQuery>['sessions'][number];

export function Sessions(): ReactNode {
  const [{ data, error }, refetch] = useQuery({ query: SessionsQuery });
  const [{ fetching }, revokeOthers] = useMutation(RevokeOtherSessions);
  const signOutOthers = async (): Promise<void> => {
    const result = await revokeOthers({});
    if (result.error) notifyError(result.error);
    else notifySuccess(t('All other sessions are signed out.'));
  };
  const signOutAll = async (): Promise<void> => {
    const confirmed = await confirm({
      title: t('Sign out everywhere?'),
      children: t('All your sessions end immediately, including this one. API tokens keep working.'),
      confirm: t('Sign out everywhere'),
      danger: true,
    });
    if (!confirmed) return;
    const { refusal } = await signOutEverywhere();
    if (refusal) notifyError(refusal.message);
    else window.location.assign('/sign-in');
  };
  return (
    <Stack gap="sm">
      <SimpleTable caption={t('Sessions')} columns={columns} rows={data?.sessions} error={error} refetch={refetch} />
      <Group gap="xs">
        <Button
          variant="default"
          onClick={signOutOthers}
          loading={fetching}
          disabled={!data || data.sessions.length < 2}
        >
          {t('Sign out everywhere else')}
        </Button>
        <Button variant="default" onClick={signOutAll}>
          {t('Sign out everywhere')}
        </Button>
      </Group>
    </Stack>
  );
}

const columns: Column<Session>[] = [
  {
    header: t('Browser'),
    lead: true,
    cell: ({ userAgent, current }) => (
      <Group gap="xs">
        <Text size="sm" fw={600} title={userAgent ?? undefined}>
          {describeBrowser(userAgent)}
        </Text>
        {current && (
          <Badge variant="light" color="teal" size="sm" tt="none">
            {t('This session')}
          </Badge>
        )}
      </Group>
    ),
  },
  { header: t('Signed in'), cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { header: t('Last seen'), cell: ({ lastSeenAt }) => <Ago at={lastSeenAt} /> },
  {
    header: t('Actions'),
    hidden: true,
    align: 'right',
    cell: (session) => !session.current && <SignOutSession session={session} />,
  },
];

function SignOutSession({ session: { id, userAgent } }: { session: Session }): ReactNode {
  const [{ fetching }, revoke] = useMutation(RevokeSession);
  const send = async (): Promise<void> => {
    const { error } = await revoke({ id });
    if (error) notifyError(error);
    else notifySuccess(t('The session is signed out.'));
  };
  return (
    <Button
      variant="default"
      size="xs"
      onClick={send}
      loading={fetching}
      aria-label={t('Sign out {browser}', { browser: describeBrowser(userAgent) })}
    >
      {t('Sign out')}
    </Button>
  );
}
