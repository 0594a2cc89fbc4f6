import { Button, Checkbox, Group, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState, type ReactNode } from 'react';
import { changePassword, type Refusal } from '../../session/auth.ts';
import { RefusalAlert } from '../../session/refusal-alert.tsx';
import { done } from '../../components/toast.ts';

const initialValues = { currentPassword: '', newPassword: '', again: '', revokeTokens: false };

export function ChangePassword({ onDone }: { onDone: () => void }): ReactNode {
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues,
    validate: {
      currentPassword: (value) => (value ? null : 'Enter your password.'),
      newPassword: (value) => (value ? null : 'Enter a new password.'),
      again: (value, { newPassword }) => (value === newPassword ? null : 'Is not the same.'),
    },
  });
  const submit = form.onSubmit(async ({ again: _again, ...input }) => {
    setBusy(true);
    const answer = await changePassword(input);
    setBusy(false);
    setRefusal(answer.refusal);
    if (answer.refusal) return form.setErrors(answer.refusal.fields);
    form.reset();
    onDone();
    done(
      `Your password is changed. All other sessions have ended${input.revokeTokens ? ', and your API tokens' : ''}.`,
    );
  });
  const field = (name: 'currentPassword' | 'newPassword' | 'again'): object => ({
    visibilityToggleButtonProps: { 'aria-label': 'Show the password', tabIndex: 0 },
    ...form.getInputProps(name),
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <RefusalAlert refusal={refusal} />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          key={form.key('currentPassword')}
          {...field('currentPassword')}
        />
        <PasswordInput
          label="New password"
          description="At least 12 characters"
          autoComplete="new-password"
          required
          key={form.key('newPassword')}
          {...field('newPassword')}
        />
        <PasswordInput
          label="New password, again"
          autoComplete="new-password"
          required
          key={form.key('again')}
          {...field('again')}
        />
        <Checkbox
          label="Revoke my API tokens, too"
          description="In all tenants. Without it they keep working: choose it if somebody else may know your password."
          key={form.key('revokeTokens')}
          {...form.getInputProps('revokeTokens', { type: 'checkbox' })}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={busy}>
            Change the password
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
