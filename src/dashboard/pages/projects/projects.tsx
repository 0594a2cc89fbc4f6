import { BriefcaseIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { LongText } from '../../components/long-text.tsx';
import { labelled, minutes } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import type { SortableColumn } from '../../list/data-table.tsx';
import { Choice, pickerFilter } from '../../list/list-filters.tsx';
import { ListPage } from '../../list/list-page.tsx';
import { findOneOf } from '../../list/list-state.ts';
import { ListTable, type ListTableProps } from '../../list/list-table.tsx';
import { PageInfoFields } from '../../list/page-info.ts';
import { CustomerPicker } from '../customers/customer-picker.tsx';
import { projectSelection } from './bulk-actions.ts';
import { ProjectFields, type Project } from './fields.ts';
import { ProjectForm } from './project-form.tsx';
import { projectStatuses, ProjectState } from './state.tsx';
import { t } from '../../i18n/t.ts';

const ProjectsQuery = graphql(
  `
    query Projects(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $filter: ProjectFilter
      $orderBy: [ProjectOrder!]
    ) {
      rows: projects(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
        totalCount
        pageInfo {
          ...PageInfoFields
        }
        nodes {
          ...ProjectFields
        }
      }
    }
  `,
  [PageInfoFields, ProjectFields],
);

const columns: SortableColumn<Project, 'NAME'>[] = [
  {
    header: t('Project'),
    sort: 'NAME',
    lead: true,
    phone: 'title',
    cell: ({ id, name }) => <LongText to={`/projects/${id}`}>{name}</LongText>,
  },
  { header: t('Customer'), phone: 'detail', cell: ({ customer }) => <LongText>{customer?.companyName}</LongText> },
  { header: t('Status'), phone: 'state', cell: (project) => <ProjectState {...project} /> },
  { header: t('Tracked'), align: 'right', phone: 'value', cell: ({ trackedMinutes }) => minutes(trackedMinutes) },
  { header: t('Unbilled'), align: 'right', cell: ({ unbilledMinutes }) => minutes(unbilledMinutes) },
];

const ProjectTable = (props: ListTableProps<typeof ProjectsQuery>): ReactNode => (
  <ListTable caption={t('Projects')} query={ProjectsQuery} columns={columns} selection={projectSelection} {...props} />
);

export default function Projects(): ReactNode {
  return (
    <ListPage
      title={t('Projects')}
      description={t('Work for your customers, with tracked time.')}
      table={ProjectTable}
      search={t('Search projects')}
      filters={{
        status: (filter) => (
          <Choice label={t('Status')} all={t('All statuses')} options={labelled(projectStatuses)} {...filter} />
        ),
        customer: (filter) => (
          <CustomerPicker
            label={t('Customer')}
            placeholder={t('All customers')}
            type="CUSTOMER"
            {...pickerFilter(filter)}
          />
        ),
      }}
      variables={({ q, status, customer }) => ({
        filter: { q, status: { eq: findOneOf(status, projectStatuses) }, customerId: { eq: customer } },
      })}
      importable="PROJECT"
      exportable="PROJECTS"
      add={{ label: t('Add a project'), form: (props) => <ProjectForm {...props} /> }}
      empty={{
        icon: BriefcaseIcon,
        title: t('No projects yet'),
        description: t('Add a project to track time and bill it to a customer.'),
        noMatch: t('No projects match'),
      }}
    />
  );
}
