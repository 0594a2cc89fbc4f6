import { businessTime, today, type Context } from '../../graphql/context.ts';
import { emit } from '../../events/events.ts';

const batch = 100;

/**
 * Emits invoice.overdue for the tenant's invoices that are due before its today, once for each.
 * @param pause is called after each
 * @returns how many
 */
export async function emitOverdue(context: Context, pause?: () => Promise<void>): Promise<number> {
  const where = { status: 'ISSUED', overdueAt: null, dueDate: { lt: today(context) } } as const;
  let emitted = 0;
  let after: string | undefined;
  for (;;) {
    const due = await context.db.invoice.findMany({
      where: { ...where, ...(after !== undefined && { id: { gt: after } }) },
      select: { id: true },
      orderBy: { id: 'asc' },
      take: batch,
    });
    after = due.at(-1)?.id;
    for (const { id } of due) {
      emitted += await context.transaction(async (inside) => {
        // It may have been paid since, or another worker may have handled it.
        const { count } = await inside.db.invoice.updateMany({
          where: { ...where, id },
          data: { overdueAt: businessTime(context) },
        });
        if (count > 0) await emit(inside, 'invoice.overdue', id);
        return count;
      });
      await pause?.();
    }
    if (due.length < batch) return emitted;
  }
}
