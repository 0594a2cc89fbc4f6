import { notifications } from '@mantine/notifications';
import { t } from '../i18n/t.ts';

interface Left {
  /** `3 transactions were not matched` */
  title: string;
  /** Why. */
  reason: string;
  names: readonly string[];
}

/** Names what something was not done with, as it is to be looked at. Stays until it is dismissed. */
export function notifyLeft({ title, reason, names }: Left): void {
  notifications.show({
    title,
    message: (
      <>
        {reason}
        <ul style={{ margin: 0, paddingInlineStart: 16 }}>
          {names.map((name) => (
            <li key={name}>{name}</li>
          ))}
        </ul>
      </>
    ),
    color: 'yellow',
    autoClose: false,
    closeButtonProps: { 'aria-label': t('Dismiss') },
  });
}
