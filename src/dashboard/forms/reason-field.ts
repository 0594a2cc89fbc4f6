import { t } from '../i18n/t.ts';

/** What a field for the reason of a reversal has, which stays in the books: the server takes 500 characters. */
export const reasonField = {
  label: t('Reason'),
  description: t('It stays in the books.'),
  required: true,
  maxLength: 500,
  'data-autofocus': true,
} as const;
