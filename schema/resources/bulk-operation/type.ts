import { builder } from '../../graphql/builder.ts';
import { Node } from '../../graphql/node.ts';
import type {
  BulkAction as BulkActions,
  BulkOperationStatus as BulkOperationStatuses,
  BulkResource as BulkResources,
} from '../../../prisma/generated/client/client.ts';

export const BulkResource = builder.enumType('BulkResource', {
  description: 'What can be written in bulk.',
  values: {
    CUSTOMERS: { description: 'Customers and suppliers.' },
    PROJECTS: { description: 'Projects.' },
    INVOICES: { description: 'Invoices.' },
    RECEIPTS: { description: 'Receipts.' },
    TIME_ENTRIES: { description: 'Time entries.', extensions: { restName: 'time-entries' } },
  } satisfies Record<BulkResources, object>,
});

export const BulkAction = builder.enumType('BulkAction', {
  description: 'What a bulk operation does with each line.',
  values: {
    CREATE: { description: 'Adds what the line has.' },
    UPDATE: { description: 'Changes the one with the id that the line has.' },
    UPSERT: { description: 'Changes the one with the external id that the line has, or adds it.' },
    DELETE: { description: 'Deletes the one with the id that the line has.' },
  } satisfies Record<BulkActions, object>,
});

export const BulkOperationStatus = builder.enumType('BulkOperationStatus', {
  description: 'The state of a bulk operation.',
  values: {
    PENDING: { description: 'It waits for its turn.' },
    RUNNING: { description: 'Its lines are being done.' },
    COMPLETED: { description: 'All lines are done. Some may have been refused.' },
    FAILED: { description: 'It could not go on. What was done before stays.' },
    CANCELLED: { description: 'It was cancelled. What was done before stays.' },
  } satisfies Record<BulkOperationStatuses, object>,
});

export const BulkOperation = builder.prismaObject('BulkOperation', {
  interfaces: [Node],
  example: {
    resource: 'CUSTOMERS',
    action: 'UPSERT',
    status: 'COMPLETED',
    lines: 5000,
    processedLines: 5000,
    succeededLines: 4998,
    failedLines: 2,
    error: null,
  },
  fields: (t) => ({
    id: t.exposeID('id'),
    resource: t.expose('resource', { type: BulkResource }),
    action: t.expose('action', { type: BulkAction }),
    status: t.expose('status', { type: BulkOperationStatus }),
    lines: t.exposeInt('lines'),
    processedLines: t.exposeInt('processedLines'),
    succeededLines: t.exposeInt('succeededLines'),
    failedLines: t.exposeInt('failedLines'),
    error: t.exposeString('error', { nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
