import type { Prisma } from '../../../prisma/client.ts';
import { builder } from '../../graphql/builder.ts';
import { periodRules } from '../../graphql/input/period.ts';
import { among, given } from '../../graphql/input/validators.ts';
import { readPage } from '../../graphql/paging/page.ts';
import { resources } from '../../resource-list.ts';
import { resourceTypes } from '../types.ts';
import { auditedResources, mustReadEntriesOf, readableEntries } from './readable.ts';
import { AuditEntry, AuditUser } from './type.ts';

const AuditEntryConnection = builder.connectionObject({ type: AuditEntry, name: 'AuditEntryConnection' });

/**
 * The entries of a period. An id begins with the time at which its entry was written, so that the primary key finds them; it is
 * rounded down, and `at` is not.
 */
function inPeriod(from: Date | null | undefined, to: Date | null | undefined): Prisma.AuditEntryWhereInput {
  if (!from && !to) return {};
  return {
    at: { gte: given(from), lt: given(to) },
    id: { gte: from ? firstId(from.getTime() - 1) : undefined, lt: to ? firstId(to.getTime() + 1) : undefined },
  };
}

const firstId = (milliseconds: number): string => {
  const digits = Math.max(milliseconds, 0).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
};

builder.queryField('auditLog', (t) =>
  t.connection(
    {
      type: AuditEntry,
      description:
        'The audit log: every change of a resource or a setting, newest first. Nobody can change it. Omits what the token may not read: changes of invoices, for example, need `invoices:read`.',
      ability: 'audit:read',
      args: {
        resource: t.arg.string({
          description: 'Of this kind only, such as `invoice`.',
          validate: among([...auditedResources], 'There is no such resource.'),
        }),
        resourceId: t.arg({ type: 'UUID', description: 'Of this resource only.' }),
        actor: t.arg({ type: 'UUID', description: 'By this user, or with this token only.' }),
        from: t.arg({ type: 'DateTime', description: 'Made at this time or later.' }),
        to: t.arg({ type: 'DateTime', description: 'Made before this time.' }),
        offset: t.arg.int(),
      },
      rules: periodRules,
      resolve: (_root, { resource, resourceId, actor, from, to, ...args }, context, info) => {
        if (resource) mustReadEntriesOf(context, resource);
        const where: Prisma.AuditEntryWhereInput = {
          ...(resource ? { resource } : readableEntries(context)),
          ...(resourceId && { resourceId }),
          ...(actor && { OR: [{ userId: actor }, { tokenId: actor }] }),
          ...inPeriod(from, to),
        };
        return readPage({ context, info }, 'AuditEntry', args, where);
      },
    },
    AuditEntryConnection,
  ),
);

/** The most users at once. */
export const maxAuditUsers = 200;

/** Goes from one user to the next by the index: what it costs grows with the users, not with their entries. */
const actingUsers = `
  with recursive acting as (
    (select user_id from audit_entries where tenant_id = $1 and user_id is not null order by user_id limit 1)
    union all
    select (
      select later.user_id from audit_entries as later
      where later.tenant_id = $1 and later.user_id > acting.user_id order by later.user_id limit 1
    ) from acting where acting.user_id is not null
  )
  select user_id as id from acting where user_id is not null limit $2`;

builder.queryField('auditUsers', (t) =>
  t.field({
    type: [AuditUser],
    description: `The users who stand in the audit log, also those who have left: for auditLog's actor. By their ids, at most ${maxAuditUsers}.`,
    ability: 'audit:read',
    resolve: (_root, _args, { db }) => db.$rows<{ id: string }>(actingUsers, [maxAuditUsers], ['AuditEntry']),
  }),
);

for (const { model } of resources) {
  builder.prismaObjectField(resourceTypes[model], 'history', (t) =>
    t.connection(
      {
        type: AuditEntry,
        description: 'Its changes, newest first, those of its lines included.',
        ability: 'audit:read',
        select: { id: true },
        resolve: ({ id }, args, context, info) =>
          readPage({ context, info }, 'AuditEntry', args, { resourceId: id, ...readableEntries(context) }),
      },
      AuditEntryConnection,
    ),
  );
}
