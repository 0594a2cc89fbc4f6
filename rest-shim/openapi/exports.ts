import { mediaTypes } from '../../schema/resources/export/file.ts';
import type { Operation } from '../operation.ts';
import { ifNoneMatch, notModified } from './paths.ts';
import { ofEveryAnswer, rateLimitHeaders, refusals, withHeaders } from './responses.ts';
import type { JsonSchema } from './schemas.ts';

/** Describes the row of the routes that streams the file of an export. */
export const describeDownload = ({ ability }: Operation, tag: string): JsonSchema => ({
  operationId: 'getExportFile',
  tags: [tag],
  summary: 'Streams the file of an export',
  description: `A completed export has one until it expires. Needs the ability \`${ability}\`, and those to read what is exported. A file with entries of the audit log is for the token that started the export, and for who may read all entries.`,
  'x-abilities': [ability],
  parameters: [ifNoneMatch],
  responses: {
    200: {
      description: 'The file: CSV, a spreadsheet, or a zip.',
      headers: withHeaders(...ofEveryAnswer, ...rateLimitHeaders, 'ETag', 'Content-Disposition'),
      content: Object.fromEntries(
        Object.values(mediaTypes).map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
      ),
    },
    304: notModified,
    ...refusals([400, 401, 403, 404, 405, 408, 422, 429, 431, 500, 503]),
  },
});
