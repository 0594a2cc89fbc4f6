import type { Work } from './bench.ts';
import { bulkLoad, bulkLoadOfMany } from './works/bulk.ts';
import { auditLogCost, changeFeedCost, changesOfMillion } from './works/changes.ts';
import { create } from './works/create.ts';
import { filterByCustomer, filterByStatus, search } from './works/filter.ts';
import { getById } from './works/get-by-id.ts';
import { graphqlGet, graphqlList, graphqlNested } from './works/graphql.ts';
import { growthOfCustomers, growthOfInvoices } from './works/growth.ts';
import { importStatement } from './works/import.ts';
import { listCustomers, listInvoices, listWithoutTotal } from './works/list.ts';
import { mixed, worstOfMinute } from './works/mixed.ts';
import { lastPage, lastPageOfMillion, secondPage } from './works/pages.ts';
import { twoProcesses } from './works/processes.ts';
import { receivables, totals } from './works/receivables.ts';
import { memory, startUp } from './works/start.ts';
import { walkAll, walkMillion } from './works/walk.ts';
import { webhooks } from './works/webhooks.ts';

export const works: Work[] = [
  getById,
  listCustomers,
  listInvoices,
  listWithoutTotal,
  growthOfCustomers,
  growthOfInvoices,
  filterByStatus,
  filterByCustomer,
  search,
  secondPage,
  lastPage,
  lastPageOfMillion,
  walkAll,
  walkMillion,
  create,
  bulkLoad,
  bulkLoadOfMany,
  changeFeedCost,
  auditLogCost,
  changesOfMillion,
  graphqlGet,
  graphqlList,
  graphqlNested,
  receivables,
  totals,
  mixed,
  worstOfMinute,
  webhooks,
  importStatement,
  twoProcesses,
  startUp,
  memory,
];
