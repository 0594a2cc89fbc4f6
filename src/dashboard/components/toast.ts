import { notifications } from '@mantine/notifications';
import type { CombinedError } from 'urql';
import { changeByOthers, errorMessage } from '../errors/form-errors.ts';
import { t } from '../i18n/t.ts';

/** Shows that an action succeeded. */
export function notifySuccess(message: string): void {
  notifications.show({ message, color: 'teal', closeButtonProps: { 'aria-label': t('Dismiss') } });
}

/** Shows that an action failed, or that somebody else was first. The notification stays until it is dismissed. */
export function notifyError(error: CombinedError | string): void {
  const change = typeof error === 'string' ? undefined : changeByOthers(error);
  notifications.show({
    title: change ?? t('That didn’t work'),
    message: change
      ? t('Nothing was done. The page shows it as it is now.')
      : typeof error === 'string'
        ? error
        : errorMessage(error),
    color: change ? 'yellow' : 'red',
    autoClose: false,
    closeButtonProps: { 'aria-label': t('Dismiss') },
  });
}
