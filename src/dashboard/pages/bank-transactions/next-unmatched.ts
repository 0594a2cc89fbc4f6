import { useClient } from 'urql';
import { useLocation } from 'wouter';
import { notifySuccess } from '../../components/toast.ts';
import { graphql } from '../../graphql.ts';
import { t } from '../../i18n/t.ts';
import type { BankTransaction } from './fields.ts';

const UnmatchedQuery = graphql(`
  query UnmatchedTransactions($to: Date) {
    bankTransactions(
      first: 100
      filter: { matchStatus: { eq: UNMATCHED }, bookingDate: { lte: $to } }
      orderBy: { field: BOOKING_DATE, direction: DESC }
    ) {
      nodes {
        id
        bookingDate
      }
    }
  }
`);

type ListPosition = Pick<BankTransaction, 'id' | 'bookingDate'>;

/**
 * Finds the next unmatched transaction of the list, newest first. After the last one follows the first.
 * @returns a function that shows a message and opens the next transaction, if there is one
 */
export function useNextUnmatched({
  id,
  bookingDate,
}: ListPosition): (message?: string, notify?: (text: string) => void) => Promise<void> {
  const client = useClient();
  const [, navigate] = useLocation();
  const unmatched = async (to?: string): Promise<readonly ListPosition[]> => {
    const { data } = await client.query(UnmatchedQuery, { to }, { requestPolicy: 'network-only' }).toPromise();
    return (data?.bankTransactions.nodes ?? []).filter((each) => each.id !== id);
  };
  return async (message, notify = notifySuccess) => {
    const earlier = await unmatched(bookingDate);
    const following = earlier.find((each) => each.bookingDate < bookingDate || each.id < id);
    const next = following ?? (await unmatched())[0];
    const hint = next ? message && t('Here is the next.') : t('No other transaction is unmatched.');
    const text = [message, hint].filter(Boolean).join(' ');
    if (text) (message ? notify : notifySuccess)(text);
    if (next) navigate(`/bank-transactions/${next.id}`);
  };
}
