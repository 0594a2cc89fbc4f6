import { Changes } from './generated/api.ts';
import type { Change, ChangeFeedPage, ListChangesQuery } from './generated/types.ts';
import type { RequestOptions } from './options.ts';

export interface FollowQuery extends Omit<ListChangesQuery, 'wait'> {
  /** Seconds that a request waits for a change, at most 30. Default: 30. */
  wait?: number;
}

export interface FollowOptions extends FollowQuery {
  /** Ends the iteration. */
  signal?: AbortSignal | undefined;
}

/** A change, and where to continue after it. */
export type FollowedChange = Change & {
  /**
   * Store it with the change, and pass it as `since` to continue. The changes that came with one request share one position:
   * the last one has the next, and those before it the previous one, which is undefined at the beginning. So after a
   * restart some changes can come again, and none is missed.
   */
  cursor: string | undefined;
};

const longestPage = 1000;
const longestWait = 30;
/** Seconds that a response may take beyond its wait. */
const responseSeconds = 30;

/** The change feed. */
export class ChangeFeed extends Changes {
  /**
   * All changes after a cursor, and then each further one as it is committed. It never ends by itself: connection errors, a
   * full rate limit, and restarts of the service only delay it.
   * @throws CursorExpiredError: read from the beginning, into an empty copy
   */
  async *follow(options: FollowOptions = {}): AsyncGenerator<FollowedChange, void, undefined> {
    let cursor = options.since;
    for await (const { data, meta } of this.followPages(options)) {
      for (const [index, change] of data.entries()) {
        if (options.signal?.aborted) return;
        yield { ...change, cursor: index === data.length - 1 ? meta.cursor : cursor };
      }
      ({ cursor } = meta);
    }
  }

  /** The same in pages, of which some are empty. Write a page and its `meta.cursor` in one transaction: then none is repeated. */
  async *followPages({ since, wait = longestWait, signal, ...query }: FollowOptions = {}): AsyncGenerator<
    ChangeFeedPage,
    void,
    undefined
  > {
    const options: RequestOptions = {
      signal,
      timeout: (wait + responseSeconds) * 1000,
      maxRetries: Number.POSITIVE_INFINITY,
      maxRetryTime: Number.POSITIVE_INFINITY,
    };
    let cursor = since;
    try {
      for (;;) {
        // The first response to `now` comes at once, so that there is a cursor before there is a change.
        const page = await this.list(
          { limit: longestPage, ...query, since: cursor, wait: cursor === 'now' ? 0 : wait },
          options,
        );
        yield page;
        ({ cursor } = page.meta);
      }
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }
}
