import { Button, Loader, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useState, type ReactNode } from 'react';
import { useLocation, useParams } from 'wouter';
import {
  acceptInvitation,
  currentSession,
  lookAtInvitation,
  type Answer,
  type Invitation,
  type Refusal,
} from '../auth.ts';
import { FrontPage } from '../components/front-page.tsx';
import { RefusalAlert } from '../components/refusal.tsx';

export default function InvitationPage(): ReactNode {
  const { token = '' } = useParams();
  const [answer, setAnswer] = useState<Answer<Invitation>>();
  const [signedInAs, setSignedInAs] = useState<string>();
  useEffect(() => {
    let gone = false;
    const look = async (): Promise<void> => {
      const [invitation, session] = await Promise.all([lookAtInvitation(token), currentSession()]);
      if (gone) return;
      setSignedInAs(session.data?.user.email);
      setAnswer(invitation);
    };
    void look();
    return () => {
      gone = true;
    };
  }, [token]);

  if (!answer) {
    return (
      <FrontPage title="Invitation">
        <Loader type="dots" role="status" aria-label="Opening" />
      </FrontPage>
    );
  }
  if (answer.refusal) {
    return answer.refusal.status === 404 ? (
      <FrontPage title="This invitation has ended">
        <Text size="sm">It was accepted or withdrawn, or its 7 days are over. Ask for a new one.</Text>
      </FrontPage>
    ) : (
      <FrontPage title="Invitation">
        <RefusalAlert refusal={answer.refusal} />
      </FrontPage>
    );
  }
  const { tenant, invitedBy, email, hasAccount } = answer.data;
  const lead = `${invitedBy ? `${invitedBy} invites you` : 'You are invited'} to work on these books, as ${email}.`;
  return (
    <FrontPage title={`Join ${tenant.name}`} lead={lead}>
      {!hasAccount ? (
        <NewAccount token={token} />
      ) : signedInAs === email ? (
        <Accept token={token} />
      ) : (
        <SignInFirst token={token} email={email} />
      )}
    </FrontPage>
  );
}

/** Sends the acceptance, then opens the books. */
function useAcceptance(token: string) {
  const [, navigate] = useLocation();
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const accept = async (as: { name?: string; password?: string }): Promise<Refusal | undefined> => {
    setBusy(true);
    const answer = await acceptInvitation({ token, ...as });
    setBusy(false);
    setRefusal(answer.refusal);
    if (answer.data) navigate(`/${answer.data.tenant.id}`, { replace: true });
    return answer.refusal;
  };
  return { accept, busy, refusal };
}

function NewAccount({ token }: { token: string }): ReactNode {
  const { accept, busy, refusal } = useAcceptance(token);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', password: '' },
    validate: {
      name: (value) => (value.trim() ? null : 'Enter your name.'),
      password: (value) => (value ? null : 'Choose a password.'),
    },
  });
  const submit = form.onSubmit(async (values) => {
    const refused = await accept(values);
    if (refused) form.setErrors(refused.fields);
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <RefusalAlert refusal={refusal} />
        <TextInput
          label="Your name"
          autoComplete="name"
          required
          key={form.key('name')}
          {...form.getInputProps('name')}
        />
        <PasswordInput
          label="Password"
          description="At least 12 characters"
          autoComplete="new-password"
          required
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={busy} fullWidth mt="xs">
          Join
        </Button>
      </Stack>
    </form>
  );
}

function Accept({ token }: { token: string }): ReactNode {
  const { accept, busy, refusal } = useAcceptance(token);
  return (
    <Stack>
      <RefusalAlert refusal={refusal} />
      <Button onClick={() => accept({})} loading={busy} fullWidth>
        Accept the invitation
      </Button>
    </Stack>
  );
}

function SignInFirst({ token, email }: { token: string; email: string }): ReactNode {
  const [, navigate] = useLocation();
  const search = new URLSearchParams({ to: `/invitation/${token}`, email });
  return (
    <Stack>
      <Text size="sm">This address has an account already. Sign in with it to accept.</Text>
      <Button onClick={() => navigate(`/sign-in?${search.toString()}`)} fullWidth>
        Sign in
      </Button>
    </Stack>
  );
}
