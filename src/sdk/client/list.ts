import type { HttpClient } from './http-client.ts';
import type { RequestOptions } from './options.ts';
import type { PageLinks, PageMeta } from './generated/types.ts';

/** A page of a list, as REST returns it. */
export interface Page<Item> {
  data: Item[];
  links: PageLinks;
  meta: PageMeta;
}

/** Rows of a page when a list is read to its end, so that it takes few requests. It is the largest that REST returns. */
const largestPage = 100;

/**
 * A list, newest first. Awaited, it is one page. In `for await`, it is all rows: each once, even if rows are created and
 * deleted meanwhile. Nothing is requested before that.
 */
export class List<Item> implements PromiseLike<Page<Item>>, AsyncIterable<Item> {
  readonly #client: HttpClient;
  readonly #path: string;
  readonly #query: object;
  readonly #options: RequestOptions;
  #first: Promise<Page<Item>> | undefined;

  constructor(client: HttpClient, path: string, query: object, options: RequestOptions) {
    this.#client = client;
    this.#path = path;
    this.#query = query;
    this.#options = options;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- `await` reads the first page.
  then<Result1 = Page<Item>, Result2 = never>(
    onfulfilled?: ((page: Page<Item>) => Result1 | PromiseLike<Result1>) | null,
    onrejected?: ((error: unknown) => Result2 | PromiseLike<Result2>) | null,
  ): Promise<Result1 | Result2> {
    this.#first ??= this.#page(this.#query);
    return this.#first.then(onfulfilled, onrejected);
  }

  /** All pages, beginning with the one that the query names. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let query: object | undefined = { per_page: largestPage, ...this.#query };
    while (query) {
      const page: Page<Item> = await this.#page(query);
      yield page;
      // Only the query of the link is used: the token is never sent to another address than baseUrl.
      query = page.links.next === null ? undefined : Object.fromEntries(new URL(page.links.next).searchParams);
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }

  #page(query: object): Promise<Page<Item>> {
    return this.#client.request('GET', this.#path, { query, options: this.#options });
  }
}
