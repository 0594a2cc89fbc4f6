import type { BulkAction, BulkResource } from '../../../prisma/generated/client/client.ts';
import type { Resource } from '../../resource-list.ts';

/** A resource that can be written in bulk: its model, its abilities, and the actions that a line can do. */
interface Kind {
  model: Extract<Resource['model'], 'Customer' | 'Project' | 'Invoice' | 'Receipt' | 'TimeEntry'>;
  scope: Resource['scope'];
  /** Those that have a single request in REST. */
  actions: readonly BulkAction[];
}

export const bulkKinds = {
  CUSTOMERS: { model: 'Customer', scope: 'customers', actions: ['CREATE', 'UPDATE', 'UPSERT', 'DELETE'] },
  PROJECTS: { model: 'Project', scope: 'projects', actions: ['CREATE', 'UPDATE', 'UPSERT', 'DELETE'] },
  INVOICES: { model: 'Invoice', scope: 'invoices', actions: ['CREATE', 'DELETE'] },
  RECEIPTS: { model: 'Receipt', scope: 'receipts', actions: ['CREATE', 'DELETE'] },
  TIME_ENTRIES: { model: 'TimeEntry', scope: 'time-entries', actions: ['CREATE', 'DELETE'] },
} as const satisfies Record<BulkResource, Kind>;
