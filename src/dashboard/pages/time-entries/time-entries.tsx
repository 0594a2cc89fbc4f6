import { ClockIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { labelled } from '../../format/format.ts';
import { Choice, period, pickerFilter } from '../../list/list-filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { getKeys, findOneOf } from '../../list/list-state.ts';
import { ProjectPicker } from '../projects/project-picker.tsx';
import { QuickEntry } from './quick-entry.tsx';
import { TimeEntryTable } from './time-entry-table.tsx';
import { t } from '../../i18n/t.ts';

/** The filters for what the column Billing shows. */
const billings = {
  UNBILLED: { invoiceId: { isNull: true }, billable: { eq: true } },
  BILLED: { invoiceId: { isNull: false } },
  NOT_BILLABLE: { invoiceId: { isNull: true }, billable: { eq: false } },
};

const billing = getKeys(billings);

export default function TimeEntries(): ReactNode {
  return (
    <ListPage
      importable="TIME_ENTRY"
      exportable="TIME_ENTRIES"
      title={t('Time entries')}
      description={t('Your time, and that of your colleagues.')}
      table={TimeEntryTable}
      filters={{
        project: (filter) => (
          <ProjectPicker label={t('Project')} placeholder={t('All projects')} {...pickerFilter(filter)} />
        ),
        billing: (filter) => (
          <Choice label={t('Billing')} all={t('Billed or not')} options={labelled(billing)} {...filter} />
        ),
        ...period,
      }}
      variables={({ project, billing: chosen, from, to }) => {
        const name = findOneOf(chosen, billing);
        return { filter: { projectId: { eq: project }, ...(name && billings[name]), date: { gte: from, lte: to } } };
      }}
      initialSort={{ field: 'DATE', direction: 'DESC' }}
      empty={{
        icon: ClockIcon,
        title: t('No time entries yet'),
        description: t('Track your first entry above.'),
        noMatch: t('No time entries match'),
      }}
    >
      <QuickEntry />
    </ListPage>
  );
}
