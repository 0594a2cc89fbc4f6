import type { QueryResult } from 'pg';
import { asTenant } from '../prisma/tenant/pool.ts';
import type { Service } from './harness.ts';
import type { Statement } from './isolation/statements.ts';

/** A step of a plan, as EXPLAIN (format json) gives it. */
export interface PlanNode {
  'Node Type': string;
  'Parent Relationship'?: string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'CTE Name'?: string;
  'Index Cond'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
  /** On the coordinator of a cluster: the plans of the servers that run it. */
  'Distributed Query'?: { Job: { Tasks: { 'Remote Plan': { Plan: PlanNode }[][] }[] } };
  /** Whether the step is part of a total that is counted in a select list. Added here. */
  isOfTotal?: boolean;
}

/** All steps of the plan that EXPLAIN (format json) answered. On a cluster these are the steps on the tenant's server. */
export const listNodes = ({ rows }: QueryResult): PlanNode[] => listSteps(rows[0]['QUERY PLAN'][0].Plan);

/** Runs a statement as a tenant's once more. @returns all steps of its plan, with what they read */
export const explain = async (
  { books }: Pick<Service, 'books'>,
  tenantId: string,
  { text, values }: Statement,
): Promise<PlanNode[]> =>
  listNodes(await asTenant(tenantId, () => books.pool.query(`explain (analyze, format json) ${text}`, values)));

function listSteps(node: PlanNode, isOfTotal = false): PlanNode[] {
  const tasks = node['Distributed Query']?.Job.Tasks;
  if (tasks) return tasks.flatMap((task) => task['Remote Plan'].flat()).flatMap(({ Plan }) => listSteps(Plan));
  const isCounting = isOfTotal || (node['Parent Relationship'] === 'InitPlan' && node['Node Type'] === 'Aggregate');
  return [
    { ...ofTable(node), isOfTotal: isCounting },
    ...(node.Plans ?? []).flatMap((each) => listSteps(each, isCounting)),
  ];
}

/** A shard and its indexes have the names of the table and its indexes, and the shard's number. */
function ofTable(node: PlanNode): PlanNode {
  const [relation, index] = [node['Relation Name'], node['Index Name']].map((name) => name?.replace(/_\d{6,}$/, ''));
  return { ...node, ...(relation && { 'Relation Name': relation }), ...(index && { 'Index Name': index }) };
}
