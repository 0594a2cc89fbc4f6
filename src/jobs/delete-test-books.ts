import type { Task } from 'graphile-worker';
import type { Database } from '../database/database.ts';
import type { Domain } from '../domain.ts';
import { sweepTestBooks } from '../identity/index.ts';

/** Deletes what requests that were under way have written into a test tenant after its deletion. */
export const deleteTestBooks =
  ({ client, books }: Pick<Database, 'client' | 'books'>, { fileStorage }: Domain): Task =>
  async (payload) => {
    const { id } = payload as { id: string };
    await sweepTestBooks({ client, books, fileStorage }, id);
  };
