// Loads the whole schema first: its files refer to one another, and expect this order.
import '../../schema/index.ts';
import { maxProblems } from '../../rest-shim/bulk-line.ts';
import { maxUploadBytes } from '../../rest-shim/upload.ts';
import { maxBytes as maxLogoBytes } from '../../schema/documents/logos.ts';
import { maxGroups } from '../../schema/graphql/aggregates.ts';
import { maxAlternatives } from '../../schema/graphql/filters/filter-input.ts';
import { maxExternalId } from '../../schema/graphql/input/validators.ts';
import { maxInputDepth } from '../../schema/graphql/input/width.ts';
import { metadataBounds } from '../../schema/graphql/scalars/metadata.ts';
import { maxTestFileBytes, maxTestRows } from '../../schema/graphql/test-tenant-bounds.ts';
import { maxRegisteredAtOnce } from '../../schema/graphql/trusted-document-store.ts';
import { mostYears } from '../../schema/identity/test-clock.ts';
import { maxAttachmentBytes, maxAttachments } from '../../schema/resources/attachment/rules.ts';
import { maxExactMatches, maxSearchesPerMinute } from '../../schema/resources/bank-transaction/exact-operations.ts';
import { maxMatches } from '../../schema/resources/bank-transaction/match.ts';
import { maxLineBytes, maxLines } from '../../schema/resources/bulk-operation/read-chunks.ts';
import { maxUnfinished } from '../../schema/resources/bulk-operation/start.ts';
import { maxMissed } from '../../schema/resources/delivery/missed.ts';
import { maxAMinute } from '../../schema/resources/delivery/rules.ts';
import { maxFileLength, maxIds, maxKept } from '../../schema/resources/export/kinds.ts';
import { maxYears } from '../../schema/resources/export/mutations.ts';
import { maxPreviewsPerMinute } from '../../schema/resources/invoice/preflight.ts';
import { mostMonths } from '../../schema/resources/overview.ts';
import { maxEntries } from '../../schema/resources/project/billing.ts';
import { maxLines as maxReceiptLines } from '../../schema/resources/receipt/lines.ts';
import { maxRows as maxEcSalesRows } from '../../schema/resources/report/ec-sales.ts';
import { maxRows as maxOpenItems } from '../../schema/resources/report/open-items.ts';
import { maxDays, maxRows as maxReportRows } from '../../schema/resources/report/period.ts';
import { maxAttempts } from '../../schema/resources/webhook/simulated-failures.ts';
import { maxOpenInvitations } from '../identity/invitations.ts';
import { maxTestTenants } from '../identity/test-tenants.ts';
import { minuteMs } from '../security/rate-limit.ts';
import { sessionLimit } from '../server/auth/request-admission.ts';
import { limitsOfPushed } from '../server/graphql/pushed-document.ts';
import { maxArrivingBytes } from '../server/http/arriving-bodies.ts';
import { maxAtOnce } from '../server/http/upload.ts';

const number = new Intl.NumberFormat('en');

/** Formats bytes for people. A length that is one byte less than a power of two is rounded to it. */
function bytes(length: number): string {
  const mebibytes = Math.round(length / 2 ** 20);
  return mebibytes < 1024 ? `${mebibytes} MiB` : `${mebibytes / 1024} GiB`;
}

const of = (...limits: number[]): string => limits.map((limit) => number.format(limit)).join('; ');

/** Limits that requests meet, by their subjects. Each is the constant that enforces it, or its figure (figures.ts). */
export const limitGroups: Record<string, Record<string, string>> = {
  'requests, answers, and rows of a tenant': {
    "a request's body, uploads apart": '{{maxBody}}',
    "values in a request's JSON": '{{maxInputValues}}',
    'wrong fields that an error names': '{{maxProblems}}',
    'bodies of a tenant above {{longBody}} that wait to be read, in one process': '{{maxLongBodies}}',
    'bodies of a tenant that are on their way, in all, in one process': bytes(maxArrivingBytes),
    "an answer: a GraphQL document's, or a page of REST": '{{maxResponse}}',
    '`per_page`, and `first` and `last` in GraphQL': '{{maxPage}}',
    'values in the lists of an answer to a GraphQL document': '{{maxResponseValues}}',
    "a result of an agent's tool": '{{maxResult}}',
    'items of an invoice': '{{maxItems}}',
    'items of a batch': '{{maxBatch}}',
    'a bank statement': '{{maxUpload}}',
    'transactions of a bank statement': '{{maxTransactions}}',
    'bank statements of a tenant that are uploaded at a time': '{{maxUploads}}',
    'digits of a number': '{{maxDigits}}',
    'rows of a CSV file that is imported': '{{maxImportRows}}',
    'comparisons of a GraphQL filter; values of an `in`; fields of an `orderBy`':
      '{{maxComparisons}}; {{maxListed}}; {{maxSortFields}}',
    'ids that `nodes` takes in GraphQL': '{{maxNodes}}',
    'changes of a page of the change feed': '{{maxChanges}}',
    'requests and subscriptions of a tenant that wait for changes, with those of its test tenants, in one process':
      '{{maxWatchers}}',
    'valid tokens of a user in a tenant': '{{maxActiveTokens}}',
    'exports of a tenant that have not ended': '{{maxExports}}',
    'webhooks of a tenant': '{{maxWebhooks}}',
    'trusted documents that a tenant registers': '{{maxDocuments}}, {{maxDocumentBytes}} in all',
    'attempts of a delivery': '{{attempts}}, over some {{retriesTake}}',
    'failed deliveries in a row until a webhook is deactivated': '{{failuresToDeactivate}}',
    'the delivery log': '{{auditLogDays}}',
  },
  'bulk operations and files': {
    'the body of a bulk operation': bytes(maxUploadBytes),
    'its lines; a line': `${of(maxLines)}; ${bytes(maxLineBytes)}`,
    'problems that the result of a line names': of(maxProblems),
    'bulk operations of a tenant that have not ended': of(maxUnfinished),
    'bodies of bulk operations and attachments of a tenant that are received at a time, in one process': of(maxAtOnce),
    '`ids` of an export': of(maxIds),
    'the period of an export': `${of(maxYears)} years`,
    'the file of an export': bytes(maxFileLength),
    'files of exports that are kept for a tenant; in all': `${of(maxKept.files)}; ${bytes(maxKept.bytes)}`,
  },
  'resources and their fields': {
    'characters of an `external_id`': of(maxExternalId),
    'pairs of `metadata`; characters of a key; of a value': of(
      metadataBounds.pairs,
      metadataBounds.key,
      metadataBounds.value,
    ),
    'lines of a receipt': of(maxReceiptLines),
    'attachments of a receipt; one of them': `${of(maxAttachments)}; ${bytes(maxAttachmentBytes)}`,
    'the file of a logo': bytes(maxLogoBytes),
    'matches of a bank transaction': of(maxMatches),
    'exact matches that are listed, or made, at a time': of(maxExactMatches),
    'time entries that are billed at a time': of(maxEntries),
  },
  reports: {
    'days of a period': of(maxDays),
    'rows of a VAT report; of an EC Sales List': of(maxReportRows, maxEcSalesRows),
    'documents that a report lists at a time; open items': of(maxReportRows, maxOpenItems),
    'months of `overview`': of(mostMonths),
  },
  'GraphQL inputs': {
    'filters in an `or` or `and`': of(maxAlternatives),
    'groups of an aggregate': of(maxGroups),
    'levels of the variables': of(maxInputDepth),
    'trusted documents that are registered at a time': of(maxRegisteredAtOnce),
    'operations of one; fragments': of(limitsOfPushed.operations, limitsOfPushed.fragments),
    'tokens of one; brackets within brackets': of(limitsOfPushed.tokens, limitsOfPushed.nesting),
    'comparisons of fields that validating one takes': of(limitsOfPushed.comparisons),
  },
  'tenants and webhooks': {
    [`\`newInvoicePdf\`, and \`exactMatches\`, of a token or a session in any ${minuteMs / 1000} seconds, in one process`]:
      of(maxPreviewsPerMinute, maxSearchesPerMinute),
    [`requests of a session of the dashboard in any ${minuteMs / 1000} seconds`]: of(sessionLimit),
    'open invitations of a tenant': of(maxOpenInvitations),
    'test tenants of a tenant': of(maxTestTenants),
    'documents, customers, payments, and the like of a test tenant': of(maxTestRows),
    'files of a test tenant, in all': bytes(maxTestFileBytes),
    'years that a test clock can be ahead': of(mostYears),
    'attempts whose failure a webhook of a test tenant simulates': of(maxAttempts),
    'missed events that `redeliverMissed` redelivers in one call': of(maxMissed),
    'pings of a webhook, and redeliveries of an event to one, in a minute': of(maxAMinute),
  },
};
