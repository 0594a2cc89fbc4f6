import { useClient } from 'urql';
import { useLocation } from 'wouter';
import { done } from '../../components/toast.ts';
import { graphql } from '../../graphql.ts';
import type { BankTransaction } from './fields.ts';

const UnmatchedQuery = graphql(`
  query UnmatchedTransactions($to: Date) {
    bankTransactions(first: 100, matchStatus: UNMATCHED, to: $to, orderBy: { field: BOOKING_DATE, direction: DESC }) {
      nodes {
        id
        bookingDate
      }
    }
  }
`);

type Placed = Pick<BankTransaction, 'id' | 'bookingDate'>;

/**
 * Goes on to the unmatched transaction that follows this one in the list, newest first; from the last one to the first.
 * @returns a function that shows a message and opens the next one, if there is one
 */
export function useNextUnmatched({ id, bookingDate }: Placed): (said?: string) => Promise<void> {
  const client = useClient();
  const [, navigate] = useLocation();
  const unmatched = async (to: string | null): Promise<readonly Placed[]> => {
    const { data } = await client.query(UnmatchedQuery, { to }, { requestPolicy: 'network-only' }).toPromise();
    return (data?.bankTransactions.nodes ?? []).filter((each) => each.id !== id);
  };
  return async (said) => {
    const earlier = await unmatched(bookingDate);
    const following = earlier.find((each) => each.bookingDate < bookingDate || each.id < id);
    const next = following ?? (await unmatched(null))[0];
    const outlook = next ? said && 'Here is the next.' : 'No other transaction is unmatched.';
    if (said ?? outlook) done([said, outlook].filter(Boolean).join(' '));
    if (next) navigate(`/bank-transactions/${next.id}`);
  };
}
