import { Button, Checkbox, Group, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { PasswordField } from '../../forms/password-field.tsx';
import { changePassword } from '../../session/auth.ts';
import { signInAgain } from '../../session/session-expiry.ts';
import { useSession } from '../../session/session.tsx';
import { RefusalAlert } from '../../session/refusal-alert.tsx';
import { notifySuccess } from '../../components/toast.ts';
import { useAttempt } from '../../session/use-attempt.ts';
import { t } from '../../i18n/t.ts';

const initialValues = { currentPassword: '', newPassword: '', confirmation: '', revokeTokens: false };

export function ChangePassword({ onDone }: { onDone: () => void }): ReactNode {
  const { user } = useSession();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues,
    validate: {
      currentPassword: (value) => (value ? null : t('Enter your password.')),
      newPassword: (value) => (value ? null : t('Enter a new password.')),
      confirmation: (value, { newPassword }) => (value === newPassword ? null : t('The passwords don’t match.')),
    },
  });
  const send = async ({ confirmation: _confirmation, ...input }: typeof initialValues) => {
    const result = await changePassword(input);
    if (result.refusal?.status !== 401) return result;
    await signInAgain();
    return changePassword(input);
  };
  const { onSubmit, busy, refusal } = useAttempt(form, send, (_, { revokeTokens }) => {
    form.reset();
    onDone();
    notifySuccess(
      revokeTokens
        ? t('Your password is changed. All other sessions have ended, and your API tokens.')
        : t('Your password is changed. All other sessions have ended.'),
    );
  });
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack>
        <RefusalAlert refusal={refusal} />
        {/* By it, a password manager knows the account. */}
        <input type="email" autoComplete="username" value={user.email} readOnly hidden />
        <PasswordField
          label={t('Current password')}
          autoComplete="current-password"
          key={form.key('currentPassword')}
          {...form.getInputProps('currentPassword')}
        />
        <PasswordField
          label={t('New password')}
          description={t('At least 12 characters')}
          autoComplete="new-password"
          key={form.key('newPassword')}
          {...form.getInputProps('newPassword')}
        />
        <PasswordField
          label={t('Confirm new password')}
          autoComplete="new-password"
          key={form.key('confirmation')}
          {...form.getInputProps('confirmation')}
        />
        <Checkbox
          label={t('Also revoke my API tokens')}
          description={t(
            'In all tenants. Choose this if somebody else may know your password. Otherwise your tokens keep working.',
          )}
          key={form.key('revokeTokens')}
          {...form.getInputProps('revokeTokens', { type: 'checkbox' })}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={busy}>
            {t('Change the password')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
