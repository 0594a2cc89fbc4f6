// Loads the whole schema first: its files refer to one another, and expect this order.
import '../../schema/index.ts';
import { maxBatch } from '../../rest-shim/batch.ts';
import { longestWait } from '../../rest-shim/change-feed.ts';
import { lastPossiblePage } from '../../rest-shim/list-envelope.ts';
import { longestAtOnce, maxBodyBytes } from '../../rest-shim/request-body.ts';
import { cursorDays } from '../../schema/changes/change-cursor.ts';
import { maxItems } from '../../schema/resources/invoice/mutations.ts';
import { maxProblems } from '../../schema/errors/errors.ts';
import { maxInputValues } from '../../schema/graphql/input/width.ts';
import { maxDigits } from '../../schema/money/decimal.ts';
import { maxValues } from '../../schema/graphql/execution/response-size.ts';
import { partnerRanges } from '../../schema/exports/datev/accounts.ts';
import { bulkChunkCost, bytesPerValue, nestedScanCost, scanCost } from '../../schema/graphql/execution/cost.ts';
import { comparisonsPerScan } from '../../schema/graphql/execution/scans.ts';
import { maxListed } from '../../schema/graphql/filters/comparators.ts';
import { maxComparisons } from '../../schema/graphql/filters/filter-input.ts';
import { maxSortFields } from '../../schema/graphql/paging/order.ts';
import { maxNodes } from '../../schema/resources/nodes.ts';
import { maxOffsetScan } from '../../schema/graphql/paging/page.ts';
import { defaultChanges, defaultPageSize, maxChanges, maxPageSize } from '../../schema/graphql/paging/page-sizes.ts';
import { maxErrors, maxRows } from '../../schema/csv-import/read-file.ts';
import { rotationMs } from '../../schema/resources/webhook/secrets.ts';
import { maxKept, maxUnfinished } from '../../schema/resources/export/kinds.ts';
import { failuresToDeactivate, maxWebhooks } from '../../schema/resources/webhook/rules.ts';
import { exitCodes } from '../commands/exit-codes.ts';
import { readConfig } from '../config/config.ts';
import { maxTransactions } from '../../schema/bank-statements/parsers/statement.ts';
import { maxWarnings } from '../../schema/bank-statements/parsers/warnings.ts';
import { maxUploadsOfTenant } from '../server/graphql/uploads.ts';
import { limits, limitsOfTrusted } from '../server/graphql/document-limits.ts';
import { limitsOfTenant } from '../server/graphql/tenant-documents.ts';
import { cachedMs } from '../server/graphql/trusted-documents.ts';
import { maxWaiting } from '../server/http/body-turns.ts';
import { maxResultBytes } from '../server/mcp/tool-result.ts';
import { maxUpload } from '../server/http/multipart.ts';
import { retentionMs } from '../security/idempotency/stored-responses.ts';
import { checksumLength, randomLength } from '../identity/token.ts';
import { maxActiveTokens } from '../identity/tokens.ts';
import { maxWatchers } from '../notifications/notifications.ts';
import { minuteMs } from '../security/rate-limit.ts';
import { defaults as sdk } from '../sdk/client/defaults.ts';

/** The default settings. */
const usual = readConfig({});

const hourMs = 3_600_000;
const mebibytes = (bytes: number): string => `${bytes / 1024 / 1024} MiB`;
const number = new Intl.NumberFormat('en');
const list = new Intl.ListFormat('en');

/** Formats milliseconds for people: `10 s`, `17 minutes`, `2.8 hours`. */
function duration(ms: number): string {
  if (ms < 120_000) return `${ms / 1000} s`;
  if (ms < hourMs) return `${Math.round(ms / 60_000)} minutes`;
  const hours = ms / hourMs;
  return `${hours < 10 ? hours.toFixed(1) : Math.round(hours)} hours`;
}

const retryDelays = usual.webhookRetryDelaysMs;
const retriesTakeMs = retryDelays.reduce((sum, delay) => sum + delay, 0);

/** The figures that guides name, each from the constant that enforces it. A guide writes `{{maxPage}}`. */
export const figures = {
  rateLimit: number.format(usual.rateLimitPerMinute),
  maxRateLimit: number.format(usual.rateLimitMaxPerMinute),
  rateLimitWindow: `${minuteMs / 1000} seconds`,
  maxBody: mebibytes(maxBodyBytes),
  maxInputValues: number.format(maxInputValues),
  maxResult: `${maxResultBytes / 1000} kB`,
  maxBatch: number.format(maxBatch),
  maxProblems: number.format(maxProblems),
  maxResponse: `${usual.maxResponseBytes / 1_000_000} MB`,
  maxResponseValues: number.format(maxValues),
  longBody: `${longestAtOnce / 1024} KiB`,
  maxLongBodies: number.format(maxWaiting),
  maxUpload: mebibytes(maxUpload),
  maxUploads: number.format(maxUploadsOfTenant),
  documentsCached: duration(cachedMs),
  maxNodes: number.format(maxNodes),
  maxImportErrors: number.format(maxErrors),
  maxImportRows: number.format(maxRows),
  maxTransactions: number.format(maxTransactions),
  maxWarnings: number.format(maxWarnings),
  cursorDays: number.format(cursorDays),
  defaultChanges: number.format(defaultChanges),
  maxChanges: number.format(maxChanges),
  longestWait: number.format(longestWait),
  maxWatchers: number.format(maxWatchers),
  defaultPage: number.format(defaultPageSize),
  maxPage: number.format(maxPageSize),
  lastPossiblePage: number.format(lastPossiblePage),
  maxCost: number.format(limits.cost),
  maxDocuments: number.format(limitsOfTenant.documents),
  maxDocumentBytes: `${limitsOfTenant.characters / 1_000_000} MB`,
  maxTrusted: number.format(limitsOfTrusted.characters),
  bytesPerValue: number.format(bytesPerValue),
  scanCost: number.format(scanCost),
  comparisonsPerScan: number.format(comparisonsPerScan),
  nestedScanCost: number.format(nestedScanCost),
  bulkChunkCost: number.format(bulkChunkCost),
  maxListed: number.format(maxListed),
  maxComparisons: number.format(maxComparisons),
  maxSortFields: number.format(maxSortFields),
  farOffset: number.format(maxOffsetScan),
  maxItems: number.format(maxItems),
  maxDigits: number.format(maxDigits),
  maxActiveTokens: number.format(maxActiveTokens),
  maxExports: number.format(maxUnfinished),
  exportFiles: number.format(maxKept.files),
  exportRoom: `${maxKept.bytes / 2 ** 30} GiB`,
  exportDays: number.format(usual.exportDays),
  firstDebtor: String(partnerRanges.debtor.first),
  firstCreditor: String(partnerRanges.creditor.first),
  maxWebhooks: number.format(maxWebhooks),
  attempts: number.format(retryDelays.length + 1),
  retryDelays: list.format(retryDelays.map(duration)),
  retriesTake: duration(retriesTakeMs),
  deliveryTimeout: `${usual.webhookTimeoutMs / 1000} seconds`,
  failuresToDeactivate: number.format(failuresToDeactivate),
  auditLogDays: `${usual.eventDays} days`,
  secretOverlap: `${rotationMs / hourMs} hours`,
  idempotencyHours: `${retentionMs / hourMs} hours`,
  exitDone: number.format(exitCodes.done),
  exitFailed: number.format(exitCodes.failed),
  exitUsage: number.format(exitCodes.usage),
  exitDenied: number.format(exitCodes.denied),
  exitNotFound: number.format(exitCodes.notFound),
  exitRefused: number.format(exitCodes.refused),
  sdkTimeout: number.format(sdk.timeout),
  sdkRetries: number.format(sdk.maxRetries),
  sdkRetryTime: number.format(sdk.maxRetryTime),
  webhookTolerance: duration(sdk.webhookTolerance),
  tokenRandom: number.format(randomLength),
  tokenChecksum: number.format(checksumLength),
} as const;

/**
 * A guide with its figures in place of `{{names}}`.
 * @throws Error naming an unknown figure, so that the build fails
 */
export const withFigures = (text: string): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    if (!Object.hasOwn(figures, name)) throw new Error(`A guide names the figure ${name}, which figures.ts lacks`);
    return figures[name as keyof typeof figures];
  });
