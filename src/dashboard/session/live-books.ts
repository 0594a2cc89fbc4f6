import { useClient, useQuery, useSubscription } from 'urql';
import { refetchActive } from '../api/client.ts';
import { useFetchAgain, useVisible } from '../api/live.ts';
import { hasUnsaved } from '../forms/unsaved.ts';
import { graphql } from '../graphql.ts';
import { SessionQuery } from './session.tsx';

const BooksChanged = graphql(`
  subscription BooksChanged {
    changes {
      cursor
    }
  }
`);

/**
 * An import changes rows for minutes, and a page may have a dozen queries: they stay far below what a session may request in a
 * minute. In milliseconds.
 */
const pause = 5000;

/**
 * Keeps the pages as the books are: follows the change feed, and looks again when the window is shown. A form with unsaved
 * input is left alone until it is saved, which merges what was changed elsewhere. The stream opens while the session is asked
 * for, so that pages, which come after it, need not be fetched again.
 */
export function LiveBooks(): null {
  const client = useClient();
  const [{ data: session, error }] = useQuery({ query: SessionQuery, requestPolicy: 'cache-first' });
  const visible = useVisible();
  const [{ data }] = useSubscription({ query: BooksChanged, pause: !visible || (error !== undefined && !session) });
  useFetchAgain(
    data,
    () => refetchActive(client),
    pause,
    () => !hasUnsaved(),
  );
  return null;
}
