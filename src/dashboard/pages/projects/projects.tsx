import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { BriefcaseIcon, PlusIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { CustomerPicker } from '../customers/customer-picker.tsx';
import { DataTable, type Column } from '../../list/data-table.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Choice, Filters, Search } from '../../list/list-filters.tsx';
import { LongText } from '../../components/long-text.tsx';
import { EmptyList } from '../../list/empty-list.tsx';
import { Page } from '../../layout/page.tsx';
import { label, minutes } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { oneOf, orderBy, useListState } from '../../list/list-state.ts';
import { PageInfoFields } from '../../list/page-info.ts';
import { ProjectFields, projectStatuses, type Project } from './fields.ts';
import { ProjectForm } from './project-form.tsx';
import { ProjectState } from './state.tsx';

const ProjectsQuery = graphql(
  `
    query Projects(
      $first: Int
      $after: String
      $last: Int
      $before: String
      $q: String
      $status: ProjectStatus
      $customerId: UUID
      $orderBy: ProjectOrder
    ) {
      projects(
        first: $first
        after: $after
        last: $last
        before: $before
        q: $q
        status: $status
        customerId: $customerId
        orderBy: $orderBy
      ) {
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

const columns: Column<Project>[] = [
  {
    header: 'Project',
    sort: 'NAME',
    lead: true,
    cell: ({ id, name, customer }) => (
      <>
        <LongText to={`/projects/${id}`}>{name}</LongText>
        <LongText secondary>{customer?.companyName}</LongText>
      </>
    ),
  },
  { header: 'Status', cell: (project) => <ProjectState {...project} /> },
  { header: 'Tracked', align: 'right', cell: ({ trackedMinutes }) => minutes(trackedMinutes) },
  { header: 'Unbilled', align: 'right', cell: ({ unbilledMinutes }) => minutes(unbilledMinutes) },
];

const names = ['q', 'status', 'customer'] as const;

export default function Projects(): ReactNode {
  const list = useListState(names);
  const [, navigate] = useLocation();
  const [adding, dialog] = useDisclosure();
  const { q, status, customer } = list.filters;
  const [{ data, fetching, stale, error }, refetch] = useQuery({
    query: ProjectsQuery,
    variables: {
      ...list.variables,
      q: q ?? null,
      status: oneOf(status, projectStatuses),
      customerId: customer ?? null,
      orderBy: orderBy(list.sort, ['NAME']),
    },
  });
  const add = (
    <Button leftSection={<PlusIcon width={18} aria-hidden />} onClick={dialog.open}>
      Add a project
    </Button>
  );
  return (
    <Page title="Projects" description="Work for your customers, with tracked time." actions={add}>
      <Filters
        list={list}
        search={<Search label="Search projects" value={q} onChange={(value) => list.filter({ q: value })} />}
      >
        <Choice
          label="Status"
          all="All statuses"
          value={status}
          onChange={(value) => list.filter({ status: value })}
          options={projectStatuses.map((value) => ({ value, label: label(value) }))}
        />
        <CustomerPicker
          label="Customer"
          placeholder="All customers"
          hideLabel
          type="CUSTOMER"
          value={customer ?? null}
          onChange={(value) => list.filter({ customer: value ?? undefined })}
          w={{ base: '100%', sm: 220 }}
        />
      </Filters>
      <DataTable
        caption="Projects"
        columns={columns}
        list={list}
        connection={data?.projects}
        fetching={fetching && !stale}
        error={error}
        refetch={refetch}
        empty={
          <EmptyList
            list={list}
            noMatch="No projects match"
            icon={BriefcaseIcon}
            title="No projects yet"
            description="Add the first: time is tracked on it, and billed to its customer."
          >
            {add}
          </EmptyList>
        }
      />
      <Dialog title="Add a project" opened={adding} onClose={dialog.close}>
        <ProjectForm onCancel={dialog.close} onDone={(id) => navigate(`/projects/${id}`)} />
      </Dialog>
    </Page>
  );
}
