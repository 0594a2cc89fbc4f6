import { readChangeFeed } from './change-feed.ts';
import { respondFile } from './file-response.ts';
import { readListPage } from './list-envelope.ts';
import { respondCreated, respondDeleted, respondItem } from './resource-response.ts';
import type { ReadParameters, Respond } from './rest-request.ts';
import type { ResponseKind } from './routes.ts';
import { streamResults } from './streams/bulk-results.ts';
import { respondDownload } from './streams/export-file.ts';
import { respondStream } from './streams/file-stream.ts';

/** A kind of response: made at once, or by parameters of the query that only this kind has. */
type Kind = { respond: Respond } | { readParameters: ReadParameters; parameters: readonly string[] };

/** How each kind of response of the routes is made, except for those of many bodies. */
export const responseKinds: Record<Exclude<ResponseKind, 'batch' | 'upload' | 'upload-file'>, Kind> = {
  item: { respond: respondItem },
  created: { respond: respondCreated },
  deleted: { respond: respondDeleted },
  file: { respond: respondFile },
  stream: { respond: respondStream },
  page: { readParameters: readListPage, parameters: ['page', 'per_page', 'cursor'] },
  changes: { readParameters: readChangeFeed, parameters: ['wait'] },
  download: { respond: respondDownload },
  results: { readParameters: streamResults, parameters: ['failed'] },
};
