import { resources } from '../../schema/resource-list.ts';
import type { Integrator } from '../harness.ts';

/** Who reads. */
type Reader = Pick<Integrator, 'rest'>;

// A consumer of the change feed, and the books that its copy has to equal.

export interface ChangeEntry {
  resource: string;
  id: string;
  deleted: boolean;
  changed_at: string;
  data: Record<string, unknown> | null;
}

export interface ChangesAnswer {
  data: ChangeEntry[];
  meta: { cursor: string; has_more: boolean };
}

export async function readFeed(
  who: Reader,
  query: Record<string, string | number | undefined> = {},
): Promise<ChangesAnswer> {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const { status, body, text } = await who.rest('GET', `/changes?${new URLSearchParams(given as string[][])}`);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return body;
}

/** A consumer's copy of a tenant's resources, by name and id. */
export class Copy {
  readonly rows = new Map<string, unknown>();
  readonly #who: Reader;
  cursor: string | undefined;

  constructor(who: Reader) {
    this.#who = who;
  }

  /** Reads to the end of the feed. */
  async follow(limit = 1000): Promise<void> {
    for (let more = true; more;) {
      const { data, meta } = await readFeed(this.#who, { since: this.cursor, limit });
      for (const { resource, id, deleted, data: row } of data) {
        if (deleted) this.rows.delete(`${resource} ${id}`);
        else this.rows.set(`${resource} ${id}`, row);
      }
      this.cursor = meta.cursor;
      more = meta.has_more;
    }
  }
}

/** All resources as REST's lists answer them, by name and id. */
export async function readResources(who: Reader): Promise<Map<string, unknown>> {
  const rows = new Map<string, unknown>();
  for (const { name, path } of resources) {
    for (let page = 1; ; page += 1) {
      const { body } = await who.rest('GET', `/${path}?per_page=100&page=${page}`);
      for (const row of body.data) rows.set(`${name} ${row.id}`, row);
      if (body.links.next === null) break;
    }
  }
  return rows;
}
