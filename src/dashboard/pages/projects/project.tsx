import { Anchor, Button, EmptyState, Group, Skeleton, Stack, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ClockIcon, DocumentTextIcon, PencilSquareIcon, PlusIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { Link, useParams } from 'wouter';
import { DeleteButton } from '../../components/delete-button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { LoadError } from '../../errors/error-boundary.tsx';
import { DescriptionList, ownItems } from '../../components/description-list.tsx';
import { Page } from '../../layout/page.tsx';
import { date, decimal, minutes, money } from '../../format/format.ts';
import { graphql } from '../../graphql.ts';
import { useListState } from '../../list/list-state.ts';
import { TimeEntryForm } from '../time-entries/time-entry-form.tsx';
import { TimeEntryTable } from '../time-entries/time-entry-table.tsx';
import { Changes } from '../audit-log/changes.tsx';
import { BillForm } from './bill-form.tsx';
import { ProjectFields, type Project } from './fields.ts';
import { DeleteProject } from './mutations.ts';
import { ProjectForm } from './project-form.tsx';
import { ProjectState } from './state.tsx';
import { t } from '../../i18n/t.ts';

const ProjectQuery = graphql(
  `
    query Project($id: UUID!) {
      project(id: $id) {
        ...ProjectFields
      }
    }
  `,
  [ProjectFields],
);

const back = { to: '/projects', label: t('Projects') };

export default function ProjectPage(): ReactNode {
  const { id = '' } = useParams();
  const [{ data, error }, refetch] = useQuery({ query: ProjectQuery, variables: { id } });
  if (data?.project) return <Details key={id} project={data.project} />;
  return (
    <Page title={t('Project')} back={back}>
      {error ? <LoadError error={error} refetch={refetch} /> : <Skeleton h={320} radius="md" />}
    </Page>
  );
}

function Details({ project }: { project: Project }): ReactNode {
  const { id, name, description, customer, hourlyRateNet, currency, budgetHours, startDate, endDate } = project;
  const list = useListState([], { field: 'DATE', direction: 'DESC' });
  const [tracking, dialog] = useDisclosure();
  const track = (
    <Button variant="default" leftSection={<PlusIcon width={18} aria-hidden />} onClick={dialog.open}>
      {t('Track time')}
    </Button>
  );
  return (
    <Page
      title={name}
      back={back}
      badge={<ProjectState {...project} />}
      description={description}
      actions={<Actions project={project} />}
    >
      <Stack gap="lg">
        <DescriptionList
          items={[
            [
              t('Customer'),
              customer && (
                <Anchor key="customer" component={Link} to={`/customers/${customer.id}`}>
                  {customer.companyName}
                </Anchor>
              ),
            ],
            [t('Tracked'), minutes(project.trackedMinutes)],
            [t('Unbilled'), minutes(project.unbilledMinutes)],
            [t('Budget'), budgetHours && t('{hours} h', { hours: decimal(budgetHours) })],
            [t('Hourly rate, net'), hourlyRateNet && money(hourlyRateNet, currency)],
            [t('First day'), startDate && date(startDate)],
            [t('Last day'), endDate && date(endDate)],
            ...ownItems(project),
          ]}
        />
        <div>
          <Group justify="space-between" mb="sm">
            <Title order={2} size="h4">
              {t('Time entries')}
            </Title>
            {track}
          </Group>
          <TimeEntryTable
            list={list}
            filters={{ filter: { projectId: { eq: id } } }}
            oneProject
            empty={
              <EmptyState
                icon={<ClockIcon width={40} aria-hidden />}
                title={t('No time entries yet')}
                description={t('Track the work on this project, so that you can bill it.')}
              />
            }
          />
        </div>
        <Changes id={id} />
      </Stack>
      <Dialog title={t('Track time')} opened={tracking} onClose={dialog.close}>
        <TimeEntryForm projectId={id} onCancel={dialog.close} onDone={dialog.close} />
      </Dialog>
    </Page>
  );
}

function Actions({ project }: { project: Project }): ReactNode {
  const { id, name, customer, unbilledMinutes } = project;
  const [, remove] = useMutation(DeleteProject);
  const [billing, bill] = useDisclosure();
  const [editing, edit] = useDisclosure();
  return (
    <>
      {customer && unbilledMinutes > 0 && (
        <Button leftSection={<DocumentTextIcon width={18} aria-hidden />} onClick={bill.open}>
          {t('Bill the time')}
        </Button>
      )}
      <Button variant="default" leftSection={<PencilSquareIcon width={18} aria-hidden />} onClick={edit.open}>
        {t('Edit')}
      </Button>
      <DeleteButton
        name={name}
        question={t('Delete the project?')}
        note={t('Projects with time entries or receipts can’t be deleted; archive them instead.')}
        remove={() => remove({ id })}
        list="/projects"
      />
      <Dialog title={t('Bill the time')} opened={billing} onClose={bill.close}>
        <BillForm project={project} onCancel={bill.close} />
      </Dialog>
      <Dialog title={t('Edit the project')} opened={editing} onClose={edit.close}>
        <ProjectForm project={project} onCancel={edit.close} onDone={edit.close} />
      </Dialog>
    </>
  );
}
