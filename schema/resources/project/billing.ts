import type { TimeEntry } from '../../../prisma/client.ts';
import { BilledTimeGrouping, buildLines } from './billing-lines.ts';
import { builder } from '../../graphql/builder.ts';
import { chooseLanguage } from '../../codes/languages.ts';
import { usualVatCategory } from '../invoice/line.ts';
import { today, type Context } from '../../graphql/context.ts';
import { found, refuse, requireAbilities } from '../../errors/errors.ts';
import { requiredText, vatCategory, vatRate } from '../../graphql/input/validators.ts';
import type { Decimal } from '../../money/money.ts';
import { findVatProposals } from '../invoice/vat-proposals.ts';
import { Invoice } from '../invoice/type.ts';
import { lineRules } from '../invoice/rules.ts';
import { insertInvoice, maxItems, newDraft } from '../invoice/mutations.ts';
import { findTerms } from '../invoice/parties.ts';
import { totalRules } from '../invoice/rules.ts';
import { setInvoice } from '../time-entry/billed.ts';
import { enforce } from '../../rows/locked-row.ts';
import { formatDay } from '../../graphql/scalars/scalars.ts';
import { findById } from '../../graphql/find-by-id.ts';

/** The limit of entries that are billed at once: all of them are locked, and held in memory. */
export const maxEntries = 10_000;

interface Vat {
  vatRate?: Decimal | null;
  vatCategory?: string | null;
  exemptionReason?: string | null;
}

/** The VAT of all lines: as given, else as services for this customer usually have it. @throws ValidationError */
async function vatOfTime(context: Context, customerId: string, given: Vat) {
  const { SERVICES: usual } = await findVatProposals(context, customerId);
  const rate = given.vatRate ?? usual.vatRate;
  if (!rate) refuse('vatRate', 'required', 'Required, because the company profile has no usual VAT rate.');
  const category = given.vatCategory ?? (usual.vatRate?.equals(rate) ? usual.vatCategory : usualVatCategory(rate));
  const reason = given.exemptionReason ?? (category === usual.vatCategory ? usual.exemptionReason : null);
  const line = { vatRate: rate, vatCategory: category, exemptionReason: reason };
  await enforce((problems) => lineRules(line, problems, ''));
  return line;
}

/**
 * Locks a project's time to bill, so that none of it is changed or deleted meanwhile. Entries that are tracked from here on aren't
 * locked, and are left for the next invoice.
 * @returns the ids, of which one more than the limit shows that there are too many
 */
async function lockUnbilled({ db }: Context, projectId: string, until: Date | null): Promise<string[]> {
  const sql = `
    select id from time_entries
    where tenant_id = $1 and project_id = $2::uuid and invoice_id is null and billable and date <= coalesce($3::date, date)
    limit ${maxEntries + 1} for no key update`;
  const rows = await db.$rows<{ id: string }>(sql, [projectId, until && formatDay(until)]);
  return rows.map(({ id }) => id);
}

builder.mutationField('billProject', (t) =>
  t.prismaField({
    type: Invoice,
    description:
      "Makes a draft invoice from a project's billable time that no invoice bills yet: a line for each entry, or for each group of entries, at their hourly rate. Its delivery date is the day of the last entry. Each entry is billed exactly once. It becomes unbilled again when the draft is deleted or the invoice is cancelled. Also needs projects:read and time-entries:read, because the lines show both.",
    ability: 'invoices:write',
    args: {
      projectId: t.arg({ type: 'UUID', required: true, description: 'A project with a customer.' }),
      vatRate: t.arg({
        type: 'Decimal',
        description: 'Per cent: 19 for 19 %. Default: as `vatProposals` says for services.',
        validate: vatRate,
      }),
      vatCategory: t.arg.string({
        description:
          'Default: as `vatProposals` says for services, where that goes with the rate; else Z at a rate of 0, and S.',
        validate: vatCategory,
      }),
      exemptionReason: t.arg.string({
        description: 'Why no VAT is charged. Default: as `vatProposals` says, for its category.',
        validate: requiredText(1024),
      }),
      until: t.arg({ type: 'Date', description: 'The last day to bill. Default: no limit.' }),
      invoiceDate: t.arg({ type: 'Date', description: "Default: the tenant's today." }),
      groupBy: t.arg({ type: BilledTimeGrouping, description: 'Which entries share a line. Default: `ENTRY`.' }),
    },
    // The lines show data of the project and of its time entries.
    rules: (args, context, problems) => {
      requireAbilities(context, ['projects:read', 'time-entries:read']);
      if (args.vatRate) lineRules({ ...args, vatRate: args.vatRate }, problems, '');
    },
    resolve: (query, _root, { projectId, until, invoiceDate, groupBy, ...vat }, context) =>
      // Of two concurrent requests, the second waits here, and then finds the entries billed.
      context.transaction(async (inside) => {
        const project = await found(inside.db.lock('Project', projectId, 'no key update'));
        const { customerId, currency, name } = project;
        if (!customerId) refuse('projectId', 'wrong_state', 'This project has no customer to invoice.');
        const ids = await lockUnbilled(inside, projectId, until ?? null);
        if (ids.length === 0) refuse('projectId', 'nothing_left', 'This project has no time to bill.');
        if (ids.length > maxEntries)
          refuse(
            'until',
            'too_many',
            `At most ${maxEntries} time entries are billed at once: bill up to an earlier day first.`,
            { max: maxEntries },
          );
        const where = { id: { in: ids } };
        const entries = await inside.db.timeEntry.findMany({ where, orderBy: [{ date: 'asc' }, { id: 'asc' }] });
        const getRate = (entry: TimeEntry) => entry.hourlyRateNet ?? project.hourlyRateNet;
        const unpriced = entries.find((entry) => getRate(entry) === null);
        if (unpriced)
          refuse('projectId', 'wrong_state', `The time entry of ${formatDay(unpriced.date)} has no hourly rate.`);

        const members = groupBy === 'PERSON' ? await inside.identity.members(inside) : [];
        const names = new Map(members.map(({ user }) => [user.id, user.name]));
        const terms = await found(findTerms(inside, customerId));
        const language = chooseLanguage(terms.parties);
        const titles = { project: name, nameOf: (userId: string) => names.get(userId), language };
        const lines = buildLines(entries, { groupBy: groupBy ?? 'ENTRY', titles, rateOf: getRate });
        if (lines.length > maxItems)
          refuse('until', 'too_many', `An invoice has at most ${maxItems} items: bill up to an earlier day first.`, {
            max: maxItems,
          });
        const ofAll = await vatOfTime(inside, customerId, vat);
        const items = lines.map((line) => ({ ...line, ...ofAll }));
        await enforce((problems) => totalRules(items, currency, problems));
        const date = invoiceDate ?? today(context);
        const draft = newDraft(inside, {
          customerId,
          currency,
          subject: name,
          invoiceDate: date,
          deliveryDate: entries.at(-1)?.date ?? null, // the service is complete on the last day
          paymentTermsDays: terms.paymentTermsDays,
          items,
        });
        await insertInvoice(inside, draft, [['invoice.created', draft]]);
        await setInvoice(
          inside,
          entries.map(({ id }) => id),
          draft.id,
        );
        return findById(inside, 'Invoice', draft.id, query);
      }),
  }),
);
