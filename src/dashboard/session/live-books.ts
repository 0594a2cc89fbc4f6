import { useClient, useSubscription } from 'urql';
import { refetchActive } from '../api/client.ts';
import { useFetchAgain, useVisible } from '../api/live.ts';
import { hasUnsaved } from '../forms/unsaved.ts';
import { graphql } from '../graphql.ts';

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
 * Keeps the page as the books are: follows the change feed, and looks again when the window is shown. A form with unsaved
 * input is left alone until it is saved, which merges what was changed elsewhere.
 */
export function useLiveBooks(): void {
  const client = useClient();
  const [{ data }] = useSubscription({ query: BooksChanged, pause: !useVisible() });
  useFetchAgain(
    data,
    () => refetchActive(client),
    pause,
    () => !hasUnsaved(),
  );
}
