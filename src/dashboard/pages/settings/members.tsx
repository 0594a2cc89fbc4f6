import { Avatar, Badge, Button, EmptyState, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { EnvelopeIcon, UserPlusIcon } from '@heroicons/react/24/outline';
import { useState, type ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Form, useSubmit } from '../../forms/form.tsx';
import { LongText } from '../../components/long-text.tsx';
import { Page } from '../../layout/page.tsx';
import { OneTimeSecret } from '../../components/one-time-secret.tsx';
import type { Column } from '../../list/responsive-table.tsx';
import { SimpleTable } from '../../list/simple-table.tsx';
import { Ago } from '../../components/time.tsx';
import { notifySuccess, notifyError } from '../../components/toast.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { useSession } from '../../session/session.tsx';
import { forgetTenant } from '../../session/tenant.ts';
import { t } from '../../i18n/t.ts';

const MembersQuery = graphql(`
  query Members {
    members {
      user {
        id
        name
        email
      }
      joinedAt
      emailVerifiedAt
    }
    invitations {
      id
      email
      createdAt
      expiresAt
      invitedBy {
        name
      }
    }
  }
`);

const InviteMember = graphql(`
  mutation InviteMember($email: String!) {
    inviteMember(email: $email) {
      link
      invitation {
        id
      }
    }
  }
`);

const RemoveMember = graphql(`
  mutation RemoveMember($userId: UUID!) {
    removeMember(userId: $userId) {
      joinedAt
    }
  }
`);

const RevokeInvitation = graphql(`
  mutation RevokeInvitation($id: UUID!) {
    revokeInvitation(id: $id) {
      id
    }
  }
`);

type Data = ResultOf<typeof MembersQuery>;
type Invitation = Data['invitations'][number];
type Member = Data['members'][number] & { id: string };

export default function Members(): ReactNode {
  const { tenant } = useSession();
  const [{ data, error }, refetch] = useQuery({ query: MembersQuery });
  const [inviting, dialog] = useDisclosure();
  const [link, setLink] = useState<string>();
  return (
    <Page
      title={t('Members')}
      description={t('People who work on the books of {tenant}. All have the same rights.', { tenant: tenant.name })}
      actions={
        <Button leftSection={<UserPlusIcon width={18} aria-hidden />} onClick={dialog.open}>
          {t('Invite')}
        </Button>
      }
    >
      <Stack gap="xl">
        <SimpleTable
          caption={t('Members')}
          columns={memberColumns}
          rows={data?.members.map((member) => ({ ...member, id: member.user.id }))}
          error={error}
          refetch={refetch}
        />
        {data && (
          <div>
            <Title order={2} size="h4" mb="sm">
              {t('Invitations')}
            </Title>
            <SimpleTable
              caption={t('Invitations')}
              columns={invitationColumns}
              rows={data.invitations}
              empty={
                <EmptyState
                  size="sm"
                  icon={<EnvelopeIcon width={32} aria-hidden />}
                  title={t('No open invitations')}
                  description={t('Invite a colleague. You get a link to share.')}
                />
              }
            />
          </div>
        )}
      </Stack>
      <Dialog title={t('Invite a colleague')} opened={inviting} onClose={dialog.close}>
        <InviteForm
          onCancel={dialog.close}
          onDone={(created) => {
            dialog.close();
            setLink(created);
          }}
        />
      </Dialog>
      <OneTimeSecret
        title={t('Invitation created')}
        value={link}
        name={t('the link')}
        onClose={() => setLink(undefined)}
      >
        <Text size="sm">
          {t('Send it only to the person you invite. It works once, and expires after 7 days. Kontor sends no e-mail.')}
        </Text>
      </OneTimeSecret>
    </Page>
  );
}

function InviteForm({ onDone, onCancel }: { onDone: (link: string) => void; onCancel: () => void }): ReactNode {
  const [, invite] = useMutation(InviteMember);
  const form = useForm({ mode: 'uncontrolled', initialValues: { email: '' } });
  const submission = useSubmit(form, invite, ({ inviteMember: { link } }) => onDone(link));
  return (
    <Form submission={submission} submit={t('Create invitation')} onCancel={onCancel}>
      <TextInput
        label={t('E-mail address')}
        description={t('The address they will sign in with')}
        type="email"
        autoComplete="off"
        required
        data-autofocus
        key={form.key('email')}
        {...form.getInputProps('email')}
      />
    </Form>
  );
}

const memberColumns: Column<Member>[] = [
  { header: t('Name'), lead: true, cell: (member) => <Person member={member} /> },
  { header: t('Joined'), cell: ({ joinedAt }) => <Ago at={joinedAt} /> },
  { header: t('Actions'), hidden: true, align: 'right', cell: ({ user }) => <Remove user={user} /> },
];

const invitationColumns: Column<Invitation>[] = [
  { header: t('E-mail address'), lead: true, cell: ({ email }) => <LongText>{email}</LongText> },
  { header: t('Invited by'), cell: ({ invitedBy }) => <LongText>{invitedBy?.name ?? t('Command line')}</LongText> },
  { header: t('Expires'), cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
  { header: t('Actions'), hidden: true, align: 'right', cell: (invitation) => <Withdraw invitation={invitation} /> },
];

function Person({ member: { user, emailVerifiedAt } }: { member: Member }): ReactNode {
  const { user: me } = useSession();
  return (
    <Group gap="sm" wrap="nowrap">
      <Avatar size={32} name={user.name} color="initials" aria-hidden />
      <div style={{ minWidth: 0 }}>
        <Group gap="xs" wrap="nowrap">
          <Text className="long" size="sm" fw={600} lineClamp={2} title={user.name}>
            {user.name}
          </Text>
          {user.id === me.id && (
            <Badge variant="default" size="sm" tt="none">
              {t('You')}
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {emailVerifiedAt ? user.email : t('{email} (not verified)', { email: user.email })}
        </Text>
      </div>
    </Group>
  );
}

function Remove({ user }: { user: Member['user'] }): ReactNode {
  const { user: me, tenant } = useSession();
  const [{ fetching }, remove] = useMutation(RemoveMember);
  const self = user.id === me.id;
  const confirmAndRemove = async (): Promise<void> => {
    const confirmed = await confirm({
      title: self ? t('Leave {tenant}?', { tenant: tenant.name }) : t('Remove {name}?', { name: user.name }),
      children: self
        ? t('You lose access immediately, on every device and with every token.')
        : t('They lose access immediately, on every device and with every token.'),
      confirm: self ? t('Leave') : t('Remove'),
      danger: true,
    });
    if (!confirmed) return;
    const { error } = await remove({ userId: user.id });
    if (error) notifyError(error);
    else if (self) {
      forgetTenant(); // `/` opens the tenant that was open last
      window.location.assign('/');
    } else notifySuccess(t('{name} is removed.', { name: user.name }));
  };
  return (
    <Button
      variant="default"
      size="xs"
      onClick={confirmAndRemove}
      loading={fetching}
      aria-label={self ? t('Leave {tenant}', { tenant: tenant.name }) : t('Remove {name}', { name: user.name })}
    >
      {self ? t('Leave') : t('Remove')}
    </Button>
  );
}

function Withdraw({ invitation: { id, email } }: { invitation: Invitation }): ReactNode {
  const [{ fetching }, revoke] = useMutation(RevokeInvitation);
  const send = async (): Promise<void> => {
    const { error } = await revoke({ id });
    if (error) notifyError(error);
    else notifySuccess(t('The invitation is withdrawn.'));
  };
  return (
    <Button
      variant="default"
      size="xs"
      onClick={send}
      loading={fetching}
      aria-label={t('Withdraw the invitation of {email}', { email })}
    >
      {t('Withdraw')}
    </Button>
  );
}
