import { Alert, Anchor, Button, Loader, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useState, type ReactNode } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import {
  acceptInvitation,
  joinWithNewAccount,
  readInvitation,
  type AuthResult,
  type Invitation,
  type Refusal,
} from '../session/auth.ts';
import { focusFirst } from '../forms/focus-first.ts';
import { PasswordField } from '../forms/password-field.tsx';
import { FrontPage } from '../layout/front-page.tsx';
import { RefusalAlert } from '../session/refusal-alert.tsx';
import { t } from '../i18n/t.ts';
import { Trans } from '../i18n/trans.ts';

export default function InvitationPage(): ReactNode {
  const { token = '' } = useParams();
  const [result, setResult] = useState<AuthResult<Invitation>>();
  useEffect(() => {
    let unmounted = false;
    const read = async (): Promise<void> => {
      const invitation = await readInvitation(token);
      if (!unmounted) setResult(invitation);
    };
    void read();
    return () => {
      unmounted = true;
    };
  }, [token]);

  if (!result) {
    return (
      <FrontPage title={t('Invitation')}>
        <Loader type="dots" role="status" aria-label={t('Loading')} />
      </FrontPage>
    );
  }
  if (result.refusal) {
    return result.refusal.status === 404 ? (
      <FrontPage title={t('This invitation has ended')}>
        <Text size="sm">{t('It was accepted or withdrawn, or is older than 7 days. Ask for a new one.')}</Text>
      </FrontPage>
    ) : (
      <FrontPage title={t('Invitation')}>
        <RefusalAlert refusal={result.refusal} />
      </FrontPage>
    );
  }
  const readAgain = async (): Promise<void> => setResult(await readInvitation(token));
  const { tenant, invitedBy, email, hasAccount } = result.data;
  const lead = invitedBy
    ? t('{name} invites you to work on these books, as {email}.', { name: invitedBy, email })
    : t('You are invited to work on these books, as {email}.', { email });
  return (
    <FrontPage title={t('Join {tenant}', { tenant: tenant.name })} lead={lead}>
      {hasAccount ? (
        <Accept token={token} readAgain={readAgain} />
      ) : (
        <NewAccount token={token} email={email} readAgain={readAgain} />
      )}
    </FrontPage>
  );
}

interface JoinProps {
  token: string;
  /** Called if the invitation, or the session, has ended meanwhile: the page shows then what can be done. */
  readAgain: () => Promise<void>;
}

/** Accepts the invitation, then opens the tenant's pages. */
function useJoin(readAgain: JoinProps['readAgain']) {
  const [, navigate] = useLocation();
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const join = async (request: ReturnType<typeof acceptInvitation>): Promise<Refusal | undefined> => {
    setBusy(true);
    const result = await request;
    setBusy(false);
    setRefusal(result.refusal);
    if (result.refusal?.status === 403 || result.refusal?.status === 404) await readAgain();
    if (result.data) navigate(`/${result.data.tenant.id}`, { replace: true });
    return result.refusal;
  };
  return { join, busy, refusal };
}

/** The page doesn't know whether the address has an account: it offers both to create one and to sign in. */
function NewAccount({ token, email, readAgain }: JoinProps & { email: string }): ReactNode {
  const { join, busy, refusal } = useJoin(readAgain);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', password: '' },
    validate: {
      name: (value) => (value.trim() ? null : t('Enter your name.')),
      password: (value) => (value ? null : t('Choose a password.')),
    },
  });
  const submit = form.onSubmit(
    async (values) => {
      const refused = await join(joinWithNewAccount({ token, ...values }));
      if (!refused) return;
      form.setErrors(refused.fields);
      focusFirst(form, refused.fields);
    },
    (invalid) => focusFirst(form, invalid),
  );
  const search = new URLSearchParams({ to: `/invitation/${token}`, email });
  const signIn = `/sign-in?${search.toString()}`;
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {refusal?.status === 401 ? (
          <Alert color="red" role="alert" title={t('You could not be signed in')}>
            {t(
              'If this address has an account already, sign in with the password of that account, then accept the invitation. If you don’t know that account, ask the person who runs Kontor.',
            )}
          </Alert>
        ) : (
          <RefusalAlert refusal={refusal} />
        )}
        <Text size="sm">
          <Trans
            i18nKey="New here? Choose a name and a password. If you have an account, <a>sign in</a> with it to accept."
            components={{ a: <Anchor component={Link} href={signIn} size="sm" underline="always" /> }}
          />
        </Text>
        {/* By it, a password manager knows the account. */}
        <TextInput label={t('E-mail address')} value={email} type="email" autoComplete="username" readOnly />
        <TextInput
          label={t('Your name')}
          autoComplete="name"
          required
          key={form.key('name')}
          {...form.getInputProps('name')}
        />
        <PasswordField
          label={t('Password')}
          description={t('At least 12 characters')}
          autoComplete="new-password"
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={busy} fullWidth mt="xs">
          {t('Join')}
        </Button>
      </Stack>
    </form>
  );
}

function Accept({ token, readAgain }: JoinProps): ReactNode {
  const { join, busy, refusal } = useJoin(readAgain);
  return (
    <Stack>
      <RefusalAlert refusal={refusal} />
      <Button onClick={() => join(acceptInvitation(token))} loading={busy} fullWidth>
        {t('Accept the invitation')}
      </Button>
    </Stack>
  );
}
