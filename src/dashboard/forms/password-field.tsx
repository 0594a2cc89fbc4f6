import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../i18n/t.ts';

/** A password, which can be shown. Mantine's field doesn't tell screen readers that its value is wrong. */
export const PasswordField = (props: PasswordInputProps): ReactNode => (
  <PasswordInput
    required
    aria-invalid={props.error ? true : undefined}
    visibilityToggleButtonProps={{ 'aria-label': t('Show the password'), tabIndex: 0 }}
    {...props}
  />
);
