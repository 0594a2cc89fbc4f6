import { EyeIcon, EyeSlashIcon } from '@heroicons/react/24/outline';
import { t } from '../../i18n/t.ts';
import { buildQuestion } from '../../list/selection/question.tsx';
import { sayMoney, type SelectionOptions } from '../../list/selection/selection.ts';
import { buildExportAction } from '../exports/export-question.tsx';
import { getName, type BankTransaction } from './fields.ts';
import { IgnoreBankTransaction, UnignoreBankTransaction } from './ignore.ts';

/** The actions on several bank transactions. Transactions are matched one by one, or all exact ones together. */
export const bankTransactionSelection: SelectionOptions<BankTransaction> = {
  getName,
  getPath: ({ id }) => `/bank-transactions/${id}`,
  addUp: sayMoney,
  actions: [
    {
      label: t('Ignore'),
      icon: EyeSlashIcon,
      scope: 'bank-transactions',
      isFor: ({ matchStatus }) => matchStatus === 'UNMATCHED',
      notFor: t('Matched or ignored already'),
      title: t('Ignore the transactions?'),
      Question: buildQuestion<BankTransaction>(
        {
          summary: (count) => t('{count} transactions will be ignored.', { count }),
          consequence: t('They no longer need a match. You can undo it here.'),
          confirm: t('Ignore'),
          sayDone: (count) => t('{count} transactions are ignored.', { count }),
        },
        (client, { id }) => client.mutation(IgnoreBankTransaction, { id }).toPromise(),
      ),
    },
    {
      label: t('Stop ignoring'),
      icon: EyeIcon,
      scope: 'bank-transactions',
      isFor: ({ matchStatus }) => matchStatus === 'IGNORED',
      notFor: t('Not ignored'),
      title: t('Stop ignoring the transactions?'),
      Question: buildQuestion<BankTransaction>(
        {
          summary: (count) => t('{count} transactions will no longer be ignored.', { count }),
          consequence: t('They are unmatched again.'),
          confirm: t('Stop ignoring'),
          sayDone: (count) => t('{count} transactions are no longer ignored.', { count }),
        },
        (client, { id }) => client.mutation(UnignoreBankTransaction, { id }).toPromise(),
      ),
    },
    buildExportAction('BANK_TRANSACTIONS'),
  ],
};
