import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Projects in the order in which they begin. */
const projects = ['system-apart', 'system', 'campaigns', 'api-apart', 'api'];

/** Files of some ten seconds and more. Begun last, one of them would run alone in the end. */
const longest = [
  'distributed/suite.system',
  'pooler/suite.system',
  'backup/backup.system',
  'faults/faults.system',
  'bench/tenants/tenants.system',
  'sockets/sockets.system',
  'processes/secret-rotation.system',
  'processes/start.system',
  'backup/schedule.system',
  'processes/doctor.system',
  'books/command.system',
  'docs/receivables.system',
  'docs/states',
  'bulk/kills.system',
  'dashboard/exports.system',
  'dashboard/docs.system',
  'dashboard/locale.system',
  'dashboard/settings.system',
  'processes/dev.system',
  'dashboard/bookkeeping.system',
  'dashboard/layout.system',
  'dashboard/unsaved-input.system',
  'dashboard/matching.system',
  'documents/pdf-readers.system',
  'dashboard/import.system',
  'dashboard/bulk-operations.system',
  'commands/bulk.system',
  'packages/packages.system',
  'packages/stranger.system',
  'reliability/attacks',
  'reliability/statements',
  'reliability/strangers',
  'graphql/access/single-abilities',
  'graphql/queries/orders',
  'query-compiler/delegate',
  'openapi/walk',
  'releases/exchanges',
  'books/moving',
  'jobs/prove-documents',
  'query-compiler/query-compiler',
  'rest/bad-input',
  'graphql/access/tenancy',
  'rest/bad-bodies',
  'paging/forged-cursors',
  'demo-books',
  'paging/walk',
].map((name) => `/test/${name}.test.ts`);

/** The place in a list; what isn't listed comes last. */
function placeIn(list: readonly string[], isIt: (listed: string) => boolean): number {
  const place = list.findIndex(isIt);
  return place < 0 ? list.length : place;
}

const placeOf = ({ project, moduleId }: TestSpecification): number =>
  placeIn(projects, (name) => name === project.name) * (longest.length + 1) +
  placeIn(longest, (file) => moduleId.endsWith(file));

/** Begins with the files that take longest, so that all workers end at about the same time. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
