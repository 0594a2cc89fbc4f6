import { Anchor, Button, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, type ReactNode } from 'react';
import { PasswordField } from '../forms/password-field.tsx';
import { currentSession, signIn } from './auth.ts';
import { useSession } from './session.tsx';
import { useSignInAgain } from './session-expiry.ts';
import { RefusalAlert, useCountdown } from './refusal-alert.tsx';
import { useAttempt } from './use-attempt.ts';
import { t } from '../i18n/t.ts';

/** Asks for the password in a dialog over the page when the session has ended: the page and its unsaved input stay. */
export function SignInAgain(): ReactNode {
  const pending = useSignInAgain();
  return (
    <Modal
      opened={pending !== undefined}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      zIndex={400}
      title={
        <Text component="span" fw={600} size="lg">
          {t('Your session has ended')}
        </Text>
      }
    >
      {pending && <PasswordForm settle={pending.settle} />}
    </Modal>
  );
}

function PasswordForm({ settle }: { settle: (signedIn: boolean) => void }): ReactNode {
  const { user } = useSession();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { password: '' },
    validate: { password: (value) => (value ? null : t('Enter your password.')) },
  });
  // The user may have signed in again in another tab.
  useEffect(() => {
    const check = async (): Promise<void> => {
      const { data } = await currentSession();
      if (data?.user.id === user.id) settle(true);
    };
    const listen = (): void => void check();
    window.addEventListener('focus', listen);
    return () => window.removeEventListener('focus', listen);
  }, [user.id, settle]);
  const { onSubmit, busy, refusal } = useAttempt(
    form,
    ({ password }) => signIn({ email: user.email, password }),
    () => settle(true),
  );
  const blocked = useCountdown(refusal);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.stopPropagation();
        onSubmit(event);
      }}
    >
      <Stack>
        <Text size="sm">{t('Sign in to continue. Your input is kept.')}</Text>
        <RefusalAlert refusal={refusal} />
        <TextInput label={t('E-mail address')} value={user.email} autoComplete="username" readOnly />
        <PasswordField
          label={t('Password')}
          autoComplete="current-password"
          data-autofocus
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={busy} disabled={blocked > 0} fullWidth>
          {t('Sign in')}
        </Button>
        <Anchor href="/sign-in" size="sm" ta="center">
          {t('Sign in as a different user')}
        </Anchor>
      </Stack>
    </form>
  );
}
