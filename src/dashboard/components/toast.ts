import { notifications } from '@mantine/notifications';
import type { CombinedError } from 'urql';
import { errorMessage } from '../errors/form-errors.ts';

/** Something was done. */
export function done(message: string): void {
  notifications.show({ message, color: 'teal', closeButtonProps: { 'aria-label': 'Dismiss' } });
}

/** Something that was asked for wasn't done; stays until it is dismissed. */
export function failed(error: CombinedError | string): void {
  notifications.show({
    title: 'That didn’t work',
    message: typeof error === 'string' ? error : errorMessage(error),
    color: 'red',
    autoClose: false,
    closeButtonProps: { 'aria-label': 'Dismiss' },
  });
}
