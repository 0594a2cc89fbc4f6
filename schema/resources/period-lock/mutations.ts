import { isLockTimeout, type Row } from '../../../prisma/client.ts';
import { refuse } from '../../errors/errors.ts';
import { builder } from '../../graphql/builder.ts';
import { key, today, type Context } from '../../graphql/context.ts';
import { text } from '../../graphql/input/validators.ts';
import { isChanged } from '../../rows/is-changed.ts';
import { lockOfPeriods } from './rules.ts';
import { PeriodLock, PeriodLockKind, PeriodLockSeries } from './type.ts';

const SetPeriodLockInput = builder.inputType('SetPeriodLockInput', {
  description: 'The period lock of a series.',
  example: { series: 'ALL', lockedUntil: '2025-12-31', kind: 'SOFT' },
  fields: (t) => ({
    series: t.field({ type: PeriodLockSeries, required: true, description: 'The bookings to close.' }),
    lockedUntil: t.field({
      type: 'Date',
      required: true,
      description: 'The last day to close. Not in the future. A final lock never moves back.',
    }),
    kind: t.field({ type: PeriodLockKind, required: true, description: 'A final lock never becomes soft.' }),
    reason: t.string({ description: 'Needed to move a lock back.', validate: text(255) }),
  }),
});

type Input = typeof SetPeriodLockInput.$inferInput;

/** So long a change waits for bookings under way, and holds up new ones. */
const longestWaitMs = 3000;

function checkChange({ kind, lockedUntil, reason }: Input, current: Row<'PeriodLock'> | null): void {
  if (!current) return;
  if (current.kind === 'FINAL' && kind === 'SOFT')
    refuse('input.kind', 'wrong_state', 'A final lock can not become soft.');
  if (lockedUntil >= current.lockedUntil) return;
  if (current.kind === 'FINAL') refuse('input.lockedUntil', 'wrong_state', 'A final lock can not be moved back.');
  if (!reason) refuse('input.reason', 'required', 'Required to move a lock back.');
}

/** Sets a lock while no booking is under way. */
async function setLock(inside: Context, { reason, ...fields }: Input): Promise<Row<'PeriodLock'>> {
  const { db, user } = inside;
  await db.limitLockWaits(longestWaitMs);
  await db.waitForAdvisoryLock(lockOfPeriods).catch((error: unknown) => {
    if (!isLockTimeout(error)) throw error;
    refuse('input.series', 'busy', 'Bookings are under way, such as an import. Try again when they have ended.');
  });
  const current = await db.periodLock.findFirst({ where: { series: fields.series } });
  checkChange({ reason, ...fields }, current);
  const data = { ...fields, reason: reason || null };
  if (!current) return db.periodLock.create({ data: { ...data, userId: user.id } });
  if (!isChanged(current, data)) return current;
  return db.periodLock.update({ where: key(inside, current.id), data: { ...data, userId: user.id } });
}

builder.mutationField('setPeriodLock', (t) =>
  t.field({
    type: PeriodLock,
    description:
      'Closes the bookings of a series until a day. Invoices, credit notes, receipts, and payments on or before it can then neither come, change, nor be undone. Drafts can.',
    ability: 'company:write',
    args: { input: t.arg({ type: SetPeriodLockInput, required: true }) },
    rules: ({ input }, context, problems) => {
      if (input?.lockedUntil && input.lockedUntil > today(context))
        problems.add('input.lockedUntil', 'in_the_future', "Must not be after today, in the tenant's time zone.");
    },
    resolve: (_root, { input }, context) => context.transaction((inside) => setLock(inside, input)),
  }),
);
