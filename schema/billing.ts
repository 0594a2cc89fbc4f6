import type { TimeEntry } from '../prisma/client.ts';
import { builder } from './builder.ts';
import { key, today } from './context.ts';
import { found, Problems, refuse } from './errors.ts';
import { vatRate } from './input.ts';
import { Invoice } from './invoice.ts';
import { insertDraft, newDraft, totalRules } from './invoice-editing.ts';
import { Decimal } from './money.ts';
import { formatDay } from './scalars.ts';

const minutesPerHour = 60;
/** Hours are counted to four decimals, as any quantity is. */
const hourDecimals = 4;

/** What stands on an invoice's line for an entry. */
const lineTitle = ({ date, description }: { date: Date; description: string | null }): string =>
  [...`${formatDay(date)} ${description ?? ''}`.trim()].slice(0, 255).join('');

builder.mutationField('billProject', (t) =>
  t.prismaField({
    type: Invoice,
    description:
      "Makes a draft invoice of a project's billable time that no invoice bills yet: a line for each entry, at its hourly rate. Each entry is billed exactly once; it is free again when the draft is deleted or the invoice cancelled.",
    ability: 'invoices:write',
    args: {
      projectId: t.arg({ type: 'UUID', required: true, description: 'A project with a customer.' }),
      vatRate: t.arg({ type: 'Decimal', required: true, description: 'Per cent: 19 for 19 %.', validate: vatRate }),
      until: t.arg({ type: 'Date', description: 'The last day to bill; default: all.' }),
      invoiceDate: t.arg({ type: 'Date', description: "Default: the tenant's today." }),
    },
    resolve: (query, _root, { projectId, vatRate: rate, until, invoiceDate }, context) =>
      context.transaction(async (inside) => {
        const project = await found(inside.db.project.findUnique({ where: key(context, projectId) }));
        const { customerId, currency, name } = project;
        if (!customerId) refuse('projectId', 'This project has no customer to invoice.');
        const where = { projectId, invoiceId: null, billable: true, ...(until && { date: { lte: until } }) };
        // Locks the entries: of two at once, the second waits here and then finds them billed. What is tracked from
        // here on isn't locked, and waits for the next invoice.
        const locked = await inside.db.timeEntry.updateManyAndReturn({ where, data: { updatedAt: context.now() } });
        const entries = locked.toSorted((a, b) => Number(a.date) - Number(b.date) || (a.id < b.id ? -1 : 1));
        if (entries.length === 0) refuse('projectId', 'This project has no time to bill.');
        if (entries.length > 500) refuse('until', 'An invoice has at most 500 items: bill up to an earlier day first.');
        const rateOf = (entry: TimeEntry) => entry.hourlyRateNet ?? project.hourlyRateNet;
        const unpriced = entries.find((entry) => rateOf(entry) === null);
        if (unpriced) refuse('projectId', `The time entry of ${formatDay(unpriced.date)} has no hourly rate.`);

        const items = entries.map((entry) => ({
          title: lineTitle(entry),
          quantity: new Decimal(entry.durationMinutes).dividedBy(minutesPerHour).toDecimalPlaces(hourDecimals),
          unit: 'h',
          unitPriceNet: new Decimal(rateOf(entry) ?? 0),
          vatRate: rate,
        }));
        const problems = new Problems();
        totalRules(items, currency, problems);
        problems.throwIfAny();
        const date = invoiceDate ?? today(context);
        const draft = newDraft(inside, { customerId, currency, subject: name, invoiceDate: date, items });
        await insertDraft(inside, draft);
        await inside.db.timeEntry.updateMany({
          where: { id: { in: entries.map((entry) => entry.id) } },
          data: { invoiceId: draft.id },
        });
        return found(inside.db.invoice.findUnique({ ...query, where: key(context, draft.id) }));
      }),
  }),
);
