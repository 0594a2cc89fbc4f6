import { formatDay } from '../graphql/scalars/days.ts';
import type { ExportRow } from '../resources/export/transitions.ts';
import { openItemsSql } from '../resources/report/open-items.ts';
import { computed, type TableSource } from './table.ts';

const amount = (name: string) => computed(name, 'number', `trim_scale(own.${name})::text`, 4);

/** The open items of a day, as the report has them. */
export function openItemsAt({ at, side }: Pick<ExportRow, 'at' | 'side'>): TableSource {
  if (!at) throw new Error('Open items have a day');
  const items = openItemsSql(side ?? 'RECEIVABLE').replaceAll('$2', `date '${formatDay(at)}'`);
  return {
    columns: [
      computed('id', 'text', 'own.id::text'),
      computed('number', 'text', 'own.number'),
      computed('date', 'day', 'own.date::text'),
      computed('due_date', 'day', 'own.due_date::text'),
      computed('partner_id', 'text', 'own.partner_id::text'),
      computed('name', 'text', 'customer.company_name'),
      computed('currency', 'text', 'own.currency'),
      ...['gross', 'paid', 'adjusted', 'credited', 'open'].map(amount),
      computed('days_late', 'integer', 'greatest(own.days_late, 0)::text'),
    ],
    from: `(${items}) as own
      left join customers as customer on customer.tenant_id = $1 and customer.id = own.partner_id`,
    order: ['own.id'],
  };
}
