import { t } from '../i18n/t.ts';

/** Properties of the field for a reversal's reason. The reason stays in the books. The server takes 500 characters. */
export const reasonField = {
  label: t('Reason'),
  description: t('It stays in the books.'),
  required: true,
  maxLength: 500,
  'data-autofocus': true,
} as const;
