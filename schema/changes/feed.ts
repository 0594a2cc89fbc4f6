import { resources, type Resource } from '../../prisma/client.ts';
import type { Context } from '../context.ts';
import { refuse, requireAbilities } from '../errors.ts';
import { decodeChangeCursor, encodeChangeCursor, type ChangeCursor } from './change-cursor.ts';

// The change feed. Triggers record the last change of each resource in the table `changes`, when its transaction commits.
// How positions follow the order of commits: prisma/migrations/20261122134641_change_feed/migration.sql.

/** The largest page of changes, and the default one. */
export const maxChanges = 1000;
export const defaultChanges = 100;

/** A resource's name, as GraphQL's enum has it. */
export type ResourceName = Uppercase<Resource['name']>;

export const resourceName = ({ name }: Resource): ResourceName => name.toUpperCase() as ResourceName;

/** A change of a resource. */
export interface Change {
  resource: ResourceName;
  id: string;
  deleted: boolean;
  changedAt: Date;
  /** Continues right after this change. */
  cursor: string;
}

/** A page of changes, oldest first. */
export interface ChangePage {
  nodes: Change[];
  /** Continues after the page. */
  cursor: string;
  hasMore: boolean;
}

export interface ChangesArgs {
  /** A cursor; `now` for the end of the feed; nothing for its beginning. */
  since?: string | null;
  limit?: number | null;
  /** Only changes of these resources. */
  resource?: readonly ResourceName[] | null;
}

/** Reads the changes after a cursor. */
export async function readChanges(context: Context, { since, limit, resource }: ChangesArgs): Promise<ChangePage> {
  const start = await startOf(context, since, resource);
  const size = limit ?? defaultChanges;
  const cursorAt = (position: string): string => encodeChangeCursor({ ...start, position }, context.now());
  const rows = await readRows(context, start, size + 1);
  const nodes = rows.slice(0, size).map(({ position, ...change }) => ({ ...change, cursor: cursorAt(position) }));
  return { nodes, cursor: nodes.at(-1)?.cursor ?? cursorAt(start.position), hasMore: rows.length > size };
}

type ChangeRow = Omit<Change, 'cursor'> & { position: string };

/** One index range for each resource, so that a page costs the same anywhere in the feed. */
const readRows = (context: Context, { position, resources: wanted }: ChangeCursor, limit: number) =>
  context.db.$rows<ChangeRow>(
    `select change.* from unnest($2::text[]) as wanted (resource)
     cross join lateral (
       select upper(resource) as resource, id, position::text, deleted, changed_at as "changedAt" from changes
       where tenant_id = $1 and resource = wanted.resource and changes.position > $3
       order by changes.position limit $4
     ) as change
     order by change.position::bigint limit $4`,
    [wanted.map(({ name }) => name), position, limit],
  );

/** Where reading starts. @throws ForbiddenError for resources that the token may not read */
export async function startOf(
  context: Context,
  since: string | null | undefined,
  names: readonly ResourceName[] | null | undefined,
): Promise<ChangeCursor> {
  const asked = names && resources.filter((resource) => names.includes(resourceName(resource)));
  const { position, epoch } = await endOfFeed(context);
  if (since == null || since === 'now') {
    const wanted = allowed(context, asked ?? readable(context));
    return { position: since === 'now' ? position : '0', epoch, resources: wanted };
  }
  const cursor = decodeChangeCursor(since, epoch, context);
  const added = asked?.find((each) => !cursor.resources.includes(each));
  if (added) refuse('resource', `The cursor is of a feed without ${added.name}. Read that feed from its beginning.`);
  return { ...cursor, resources: allowed(context, asked ?? cursor.resources) };
}

/** The position of the tenant's last change. All changes up to there are visible. */
async function endOfFeed(context: Context): Promise<Pick<ChangeCursor, 'position' | 'epoch'>> {
  const [end] = await context.db.$rows<{ position: string; epoch: string }>(
    `select coalesce(max(latest.position), 0)::text as position, change_epoch()::text as epoch
     from unnest($2::text[]) as wanted (resource)
     left join lateral (
       select changes.position from changes where tenant_id = $1 and resource = wanted.resource
       order by changes.position desc limit 1
     ) as latest on true`,
    [resources.map(({ name }) => name)],
  );
  return end ?? { position: '0', epoch: '0' };
}

const readAbility = ({ path }: Resource) => `${path}:read` as const;

const readable = (context: Context): readonly Resource[] =>
  resources.filter((resource) => context.may(readAbility(resource)));

/** @throws ForbiddenError naming each ability that is missing, or if there is nothing to read */
function allowed(context: Context, asked: readonly Resource[]): readonly Resource[] {
  requireAbilities(context, (asked.length > 0 ? asked : resources).map(readAbility));
  return asked;
}

/**
 * The tenant's changes of these resources from now on: a value for each moment at which there is something to read. Whoever
 * reads the feed after this has begun, and again after each value, misses nothing.
 */
export async function watchChanges(
  context: Context,
  wanted: readonly Resource[],
): Promise<AsyncIterableIterator<string>> {
  const names = new Set<string>(wanted.map(({ name }) => name));
  const changes = await context.watch('changes', ([name = '']) => (names.has(name) ? 'changed' : undefined));
  try {
    // A transaction that was committing already may not have seen the watcher. Its change is then visible.
    await context.db.waitForAdvisoryLock('change order');
    return changes;
  } catch (error) {
    await changes.return?.();
    throw error;
  }
}
