import { readChangeFeed } from './change-feed.ts';
import { respondFile } from './file-response.ts';
import { readListPage } from './list-envelope.ts';
import { respondCreated, respondDeleted, respondItem } from './resource-response.ts';
import type { ReadParameters } from './rest-request.ts';
import type { ResponseKind } from './routes.ts';

/** How each kind of response of the routes is made. */
export const responseKinds: Record<ResponseKind, ReadParameters> = {
  item: () => respondItem,
  created: () => respondCreated,
  deleted: () => respondDeleted,
  file: () => respondFile,
  page: readListPage,
  changes: readChangeFeed,
};
