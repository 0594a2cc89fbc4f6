import { Button, Checkbox, Group, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState, type ReactNode } from 'react';
import { changePassword, type Refusal } from '../../session/auth.ts';
import { RefusalAlert } from '../../session/refusal-alert.tsx';
import { notifySuccess } from '../../components/toast.ts';
import { t } from '../../i18n/t.ts';

const initialValues = { currentPassword: '', newPassword: '', confirmation: '', revokeTokens: false };

export function ChangePassword({ onDone }: { onDone: () => void }): ReactNode {
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues,
    validate: {
      currentPassword: (value) => (value ? null : t('Enter your password.')),
      newPassword: (value) => (value ? null : t('Enter a new password.')),
      confirmation: (value, { newPassword }) => (value === newPassword ? null : t('The passwords don’t match.')),
    },
  });
  const submit = form.onSubmit(async ({ confirmation: _confirmation, ...input }) => {
    setBusy(true);
    const result = await changePassword(input);
    setBusy(false);
    setRefusal(result.refusal);
    if (result.refusal) return form.setErrors(result.refusal.fields);
    form.reset();
    onDone();
    notifySuccess(
      input.revokeTokens
        ? t('Your password is changed. All other sessions have ended, and your API tokens.')
        : t('Your password is changed. All other sessions have ended.'),
    );
  });
  const field = (name: 'currentPassword' | 'newPassword' | 'confirmation'): object => ({
    visibilityToggleButtonProps: { 'aria-label': t('Show the password'), tabIndex: 0 },
    ...form.getInputProps(name),
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <RefusalAlert refusal={refusal} />
        <PasswordInput
          label={t('Current password')}
          autoComplete="current-password"
          required
          key={form.key('currentPassword')}
          {...field('currentPassword')}
        />
        <PasswordInput
          label={t('New password')}
          description={t('At least 12 characters')}
          autoComplete="new-password"
          required
          key={form.key('newPassword')}
          {...field('newPassword')}
        />
        <PasswordInput
          label={t('Confirm new password')}
          autoComplete="new-password"
          required
          key={form.key('confirmation')}
          {...field('confirmation')}
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
