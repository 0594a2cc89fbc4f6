import { readChangeFeed } from './change-feed.ts';
import { respondFile } from './file-response.ts';
import { readListPage } from './list-envelope.ts';
import { respondCreated, respondDeleted, respondItem } from './resource-response.ts';
import type { ReadParameters, Respond } from './rest-request.ts';
import type { ResponseKind } from './routes.ts';

/** How each kind of response of the routes is made: at once, or by parameters that only this kind has. */
export const responseKinds: Record<ResponseKind, { respond: Respond } | { readParameters: ReadParameters }> = {
  item: { respond: respondItem },
  created: { respond: respondCreated },
  deleted: { respond: respondDeleted },
  file: { respond: respondFile },
  page: { readParameters: readListPage },
  changes: { readParameters: readChangeFeed },
};
