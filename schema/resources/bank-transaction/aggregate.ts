import { aggregateField } from '../../graphql/aggregates.ts';
import { bankTransactionInputs } from './filter.ts';
import { MatchStatus } from './type.ts';

aggregateField('bankTransactionsAggregate', 'BankTransaction', bankTransactionInputs, {
  description: 'The bank transactions in groups, with their number and sums.',
  keys: {
    matchStatus: { column: 'matchStatus', type: MatchStatus, description: 'How much of them is accounted for.' },
    accountIban: { column: 'accountIban', description: "The tenant's account." },
    currency: { column: 'currency', description: 'ISO 4217, as the bank sent it.' },
    month: { column: 'bookingDate', isMonth: true, description: 'The month of the booking date, `YYYY-MM`.' },
  },
  sums: ['amount', 'amountOpen'],
  hasCurrency: true,
});
