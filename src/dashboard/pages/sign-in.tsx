import { Alert, Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, type ReactNode } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { currentSession, signIn, type SignedIn } from '../session/auth.ts';
import { PasswordField } from '../forms/password-field.tsx';
import { FrontPage } from '../layout/front-page.tsx';
import { RefusalAlert, useCountdown } from '../session/refusal-alert.tsx';
import { useAttempt } from '../session/use-attempt.ts';
import { t } from '../i18n/t.ts';

export default function SignIn(): ReactNode {
  const [, navigate] = useLocation();
  const [search] = useSearchParams();
  const to = destination(search.get('to'));
  const asked = search.get('email')?.toLowerCase();
  // A user who has signed in already, in another window, is redirected. An invitation asks for a certain account: somebody
  // who is signed in with another one stays, and signing in ends that session.
  useEffect(() => {
    let isShown = true;
    const isAsked = ({ email }: SignedIn['user']): boolean => asked === undefined || email.toLowerCase() === asked;
    void currentSession().then(({ data }) => isShown && data && isAsked(data.user) && navigate(to, { replace: true }));
    return () => void (isShown = false);
  }, [navigate, to, asked]);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: search.get('email') ?? '', password: '' },
    validate: {
      email: (value) => (/\S@\S/.test(value) ? null : t('Enter your e-mail address.')),
      password: (value) => (value ? null : t('Enter your password.')),
    },
  });
  const { onSubmit, busy, refusal } = useAttempt(form, signIn, () => navigate(to, { replace: true }));
  const blocked = useCountdown(refusal);
  return (
    <FrontPage title={t('Sign in')}>
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          {search.has('ended') && !refusal && (
            <Alert color="yellow" role="status">
              {t('Your session has ended. Sign in to continue.')}
            </Alert>
          )}
          <RefusalAlert refusal={refusal} />
          <TextInput
            label={t('E-mail address')}
            type="email"
            autoComplete="username"
            required
            key={form.key('email')}
            {...form.getInputProps('email')}
          />
          <PasswordField
            label={t('Password')}
            autoComplete="current-password"
            key={form.key('password')}
            {...form.getInputProps('password')}
          />
          <Button type="submit" loading={busy} disabled={blocked > 0} fullWidth mt="xs">
            {t('Sign in')}
          </Button>
        </Stack>
      </form>
      <Text size="sm" c="dimmed" mt="lg">
        {t('No account? A colleague can invite you under Settings, Members. Building something?')}{' '}
        <Anchor href="/docs" size="sm" underline="always">
          {t('Read the documentation')}
        </Anchor>
      </Text>
    </FrontPage>
  );
}

/**
 * The page to open after the sign-in. Only paths of this site are allowed, because an attacker may have set `to`. The browser
 * decides whether it is one: it leaves out tabs and line breaks.
 */
function destination(to: string | null): string {
  const { origin } = window.location;
  const url = to?.startsWith('/') ? URL.parse(to, origin) : null;
  return url?.origin === origin && url.pathname !== '/sign-in' ? url.href : '/';
}
