import { batchByGroup } from '../../prisma/batching.ts';
import { readAbilities, resources, type Resource } from '../resource-list.ts';
import type { Context } from '../graphql/context.ts';
import { resourceName, type ResourceName } from '../graphql/resource-name.ts';
import { defaultChanges } from '../graphql/paging/page-sizes.ts';
import { refuse, requireAbilities } from '../errors/errors.ts';
import { decodeChangeCursor, encodeChangeCursor, type ChangeCursor } from './change-cursor.ts';

// The change feed. Triggers record the last change of each resource in the table `changes`, when its transaction commits.
// A transaction takes its positions when it commits, and others may commit before it with higher ones. So a reader first
// waits for the transactions that are being committed, and then reads up to the highest position of that moment. The locks
// for this are in prisma/migrations/20261128140001_baseline/migration.sql.

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
export async function readChanges(context: Context, args: ChangesArgs): Promise<ChangePage> {
  const end = await endOfFeed(context);
  const start = getStart(context, end, args);
  const size = args.limit ?? defaultChanges;
  const rows = await readRows(context, start, end.position, size + 1);
  const hasMore = rows.length > size;
  const now = context.now();
  const cursorAt = (position: string, knownUntil: Date): string =>
    encodeChangeCursor({ ...start, position, knownUntil });
  const nodes = rows.slice(0, size).map(({ position, ...change }, index) => {
    const isEnd = !hasMore && index === rows.length - 1;
    // The database's clock may be ahead of the request's.
    const knownUntil = isEnd || change.changedAt > now ? now : latest(start.knownUntil, change.changedAt);
    return { ...change, cursor: cursorAt(position, knownUntil) };
  });
  return { nodes, cursor: nodes.at(-1)?.cursor ?? cursorAt(start.position, now), hasMore };
}

const latest = (one: Date, other: Date): Date => (one > other ? one : other);

type ChangeRow = Omit<Change, 'cursor'> & { position: string };

/** One index range for each resource, so that a page costs the same anywhere in the feed. */
const readRows = (context: Context, { position, resources: wanted }: ChangeCursor, end: string, limit: number) =>
  context.db.$rows<ChangeRow>(
    `select change.* from unnest($2::text[]) as wanted (resource)
     cross join lateral (
       select upper(resource) as resource, id, position::text, deleted, changed_at as "changedAt" from changes
       where tenant_id = $1 and resource = wanted.resource and changes.position > $3
         and changes.position <= $4
       order by changes.position limit $5
     ) as change
     order by change.position::bigint limit $5`,
    [wanted.map(({ name }) => name), position, end, limit],
  );

/** A position of the feed, and its epoch. */
type FeedPosition = Pick<ChangeCursor, 'position' | 'epoch'>;

/**
 * Where reading starts.
 * @throws ForbiddenError for resources that the token may not read
 */
export function getStart(
  context: Context,
  end: FeedPosition,
  { since, resource: names }: Pick<ChangesArgs, 'since' | 'resource'>,
): ChangeCursor {
  const asked = names && resources.filter((resource) => names.includes(resourceName(resource)));
  if (since == null || since === 'now') {
    const wanted = allowed(context, asked ?? readable(context));
    const position = since === 'now' ? end.position : '0';
    return { ...end, position, resources: wanted, knownUntil: context.now() };
  }
  const cursor = decodeChangeCursor(since, end.epoch, context);
  const added = asked?.find((each) => !cursor.resources.includes(each));
  if (added)
    refuse(
      'resource',
      'invalid_cursor',
      `The cursor is of a feed without ${added.name}. Read that feed from its beginning.`,
    );
  return { ...cursor, resources: allowed(context, asked ?? cursor.resources) };
}

/** Waits for the transactions that are being committed. The tenant's changes up to the end are visible to the next statement. */
export async function endOfFeed(context: Context): Promise<FeedPosition> {
  for (;;) {
    context.signal?.throwIfAborted();
    const end = await tryReadEnd(context.tenant.id, context);
    // Null while a commit takes long, as that of a large import does. The tenant's writers go on between two tries.
    if (end) return end;
  }
}

/**
 * Each try holds a connection while it waits, so all readers of a tenant's feed share it: a tenant with many would have no
 * connection left. Who comes during a try takes part in the next one, which also waits for the commits of meanwhile.
 */
const tryReadEnd = batchByGroup<undefined, Context, FeedPosition | null>(
  () => undefined,
  async (_, readers) => {
    const reader = readers.find(({ signal }) => !signal?.aborted);
    const [end] = (await reader?.db.$rows<{ position: string | null; epoch: string }>(readEnd, [])) ?? [];
    const read = end?.position == null ? null : { position: end.position, epoch: end.epoch };
    return readers.map(() => read);
  },
);

// The locks are on the server that has the tenant's changes. So the statement names a table, and is run there by Citus, too.
const readEnd = `
  select last_change_position($1)::text as position, change_epoch()::text as epoch
  from (select count(*) from changes where tenant_id = $1 and resource = '') as server`;

const readable = (context: Context): readonly Resource[] =>
  resources.filter((resource) => readAbilities(resource).every(context.may));

/** @throws ForbiddenError naming each ability that is missing, or if there is nothing to read */
function allowed(context: Context, asked: readonly Resource[]): readonly Resource[] {
  requireAbilities(context, (asked.length > 0 ? asked : resources).flatMap(readAbilities));
  return asked;
}

/**
 * The tenant's changes of these resources from now on: a value for each moment at which there is something to read. Whoever
 * reads the feed after this has begun, and again after each value, misses nothing: reading waits for the transactions that
 * were being committed before they could see the watcher.
 */
export function watchChanges(context: Context, wanted: readonly Resource[]): Promise<AsyncIterableIterator<string>> {
  const names = new Set<string>(wanted.map(({ name }) => name));
  return context.notifications.watch('changes', ([name = '']) => (names.has(name) ? 'changed' : undefined));
}
