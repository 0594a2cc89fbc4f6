import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withFigures } from '../../src/pages/figures.ts';
import { readGuides } from '../../src/pages/guides.ts';
import { limitGroups } from '../../src/pages/limits.ts';
import { listFiles } from './references.ts';

// Every limit that a request can meet stands on /docs/limits. A constant that is named like a limit is on the page, or is an
// exception here, so that nobody forgets a new one.

/** The files whose figures are on the page. A figure that none of them uses is an error of the linter: an unused import. */
const writers = ['src/pages/figures.ts', 'src/pages/limits.ts', 'src/pages/tables.ts'];

const isSearched = (path: string): boolean =>
  /^(schema|rest-shim|src\/(server|identity|notifications|security|webhooks|config))\/.*\.ts$/.test(path) &&
  // These read files, whose messages say what is wrong, or draw documents.
  !/^schema\/(bank-statements\/parsers|documents\/(pdf|e-invoice)|tenant-archive|verification)\//.test(path);

/** Constants that are no limit of a request, by the reason. */
const exceptions: Record<string, string[]> = {
  'limits what an answer reports, or lists': [
    'schema/resources/audit-log/queries.ts#maxAuditUsers',
    'schema/resources/period-lock/check.ts#maxItems',
    'src/server/mcp/tool-result.ts#maxText',
    'src/server/graphql/document-limits.ts#maxErrors',
  ],
  'limits what is kept in memory, or read at once; nothing is refused for it': [
    'rest-shim/list-envelope.ts#maxOffset',
    'schema/events/events.ts#maxRendered',
    'schema/resources/customer/search.ts#maxLookups',
    'schema/resources/customer/search.ts#maxPartners',
    'schema/resources/time-entry/billed.ts#maxWritten',
    'schema/resources/webhook/transitions.ts#maxSetAside',
    'src/identity/test-tenants.ts#maxRecalled',
    'src/notifications/notifications.ts#maxPending',
    'src/server/graphql/compiled-queries.ts#maxFields',
    'src/server/graphql/document-texts.ts#mostKept',
  ],
  'is a time that something may take': [
    'schema/documents/logos.ts#maxTime',
    'schema/documents/logos.ts#maxWork',
    'schema/resources/document/stored-files.ts#maxWaitMs',
    'src/identity/principal.ts#maxDelayMs',
    'src/identity/test-books.ts#maxRounds',
    'src/webhooks/endpoint-concurrency.ts#maxDelayMs',
    'src/webhooks/endpoint-concurrency.ts#maxWaitMs',
  ],
  'limits a number or a text that is something else beyond it; the message of the field says so': [
    'schema/codes/vat-number.ts#maxLength',
    'schema/csv-import/kinds/time-entries.ts#maxMinutes',
    'schema/resources/exchange-rate.ts#maxExchanged',
    'schema/resources/webhook/simulated-failures.ts#maxRetryAfter',
    'src/webhooks/address-guard.ts#maxAddresses',
    'src/webhooks/address-guard.ts#maxLength',
  ],
  'limits what is read of a text or a file that another system made': [
    'schema/bank-statements/upload.ts#maxReferences',
    'schema/exports/datev/extf.ts#maxPostings',
    'schema/exports/xlsx.ts#maxCellLength',
    'schema/exports/xlsx.ts#maxNumberDigits',
    'schema/exports/xlsx.ts#maxSheetRows',
    'schema/resources/anchor/timestamp.ts#maxDifferenceMs',
    'schema/resources/bank-transaction/candidates.ts#maxNamesakes',
    'schema/resources/bank-transaction/exact-matches.ts#maxDocuments',
    'schema/resources/bank-transaction/exact-matches.ts#maxLookedAt',
    'schema/resources/bank-transaction/exact-matches.ts#maxDue',
    'schema/resources/bank-transaction/invoice-references.ts#maxWordLength',
    'schema/resources/bank-transaction/invoice-references.ts#maxReferences',
    'src/webhooks/response-bounds.ts#maxHeadBytes',
    'src/webhooks/response-bounds.ts#maxResponseBytes',
    'src/webhooks/response-bounds.ts#maxTcpBytes',
  ],
  'limits a request that nobody of a tenant makes, or what a process does': [
    'src/config/secret-settings.ts#maxBytes',
    'src/identity/password.ts#maxBefore',
    'src/identity/password.ts#maxLength',
    'src/identity/test-tenants.ts#mostAtOnce',
    'src/server/auth/router.ts#maxBytes',
    'src/server/health.ts#maxConnections',
    'src/server/http/connections.ts#maxPerAddress',
    'src/server/http/connections.ts#maxTotal',
    'src/server/http/timeouts.ts#maxHeaders',
    'src/webhooks/endpoint-concurrency.ts#maxPerWebhook',
  ],
  'follows from another limit, or is a default that the page has as a setting': [
    'src/config/config.ts#maxRateLimit',
    'src/server/http/multipart.ts#maxField',
    'src/server/http/multipart.ts#maxForm',
  ],
};

const limitName = /^(?:export )?const ((?:(?:max|most)[A-Z]|limitsOf)\w*|\w+(?:Bounds|Limit)) = (?![('])/gm;

const limitsOf = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(limitName)].map(([, name]) => `${path}#${name}`);

/** The imports of a file, as `path#name`. */
const importsOf = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(/^import \{([^}]+)\} from '(\.[^']+)'/gm)].flatMap(([, names, target]) =>
    names!
      .split(',')
      .map((name) => name.trim().split(' as ')[0]!)
      .filter((name) => name !== '')
      .map((name) => `${posix.join(posix.dirname(path), target!)}#${name}`),
  );

const shown = new Set(writers.flatMap(importsOf));
const excepted = Object.values(exceptions).flat();
const limits = listFiles().filter(isSearched).flatMap(limitsOf);

describe('/docs/limits', () => {
  it('has every limit of the code that is no exception', () => {
    expect(limits.filter((limit) => !shown.has(limit) && !excepted.includes(limit))).toEqual([]);
  });

  it('has no exception for a limit that it has, or that is gone', () => {
    expect(excepted.filter((limit) => shown.has(limit) || !limits.includes(limit))).toEqual([]);
  });

  it('has the rows of each subject', () => {
    const { text } = readGuides().find(({ slug }) => slug === 'limits')!;
    const rows = Object.values(limitGroups).flatMap((group) => Object.entries(group));
    const isShown = ([what, limit]: [string, string]): boolean =>
      text.includes(withFigures(`\n| ${what} | ${limit} |`));
    expect(rows.length).toBeGreaterThan(60);
    expect(rows.filter((row) => !isShown(row))).toEqual([]);
    expect(text).toContain('| the body of a bulk operation | 200 MiB |');
    expect(text).toContain('| files of exports that are kept for a tenant; in all | 1,000; 4 GiB |');
  });
});
