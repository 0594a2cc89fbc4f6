import { notifications } from '@mantine/notifications';
import type { CombinedError } from 'urql';
import { errorMessage } from '../errors/form-errors.ts';

/** Shows that an action succeeded. */
export function notifySuccess(message: string): void {
  notifications.show({ message, color: 'teal', closeButtonProps: { 'aria-label': 'Dismiss' } });
}

/** Shows that an action failed. The notification stays until it is dismissed. */
export function notifyError(error: CombinedError | string): void {
  notifications.show({
    title: 'That didn’t work',
    message: typeof error === 'string' ? error : errorMessage(error),
    color: 'red',
    autoClose: false,
    closeButtonProps: { 'aria-label': 'Dismiss' },
  });
}
