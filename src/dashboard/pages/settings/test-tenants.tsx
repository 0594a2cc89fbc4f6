import { Anchor, Button, EmptyState, Group, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { BeakerIcon, PlusIcon } from '@heroicons/react/24/outline';
import { useState, type ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { OneTimeSecret } from '../../components/one-time-secret.tsx';
import { Ago } from '../../components/time.tsx';
import { notifyError, notifySuccess } from '../../components/toast.ts';
import { Form, useSubmit } from '../../forms/form.tsx';
import { graphql, type ResultOf } from '../../graphql.ts';
import { Page } from '../../layout/page.tsx';
import type { Column } from '../../list/responsive-table.tsx';
import { SimpleTable } from '../../list/simple-table.tsx';
import { useSession } from '../../session/session.tsx';
import { t } from '../../i18n/t.ts';

const TestTenantsQuery = graphql(`
  query TestTenants {
    testTenants {
      items {
        id
        name
        createdAt
      }
    }
    me {
      tenants {
        id
      }
    }
  }
`);

const CreateTestTenant = graphql(`
  mutation CreateTestTenant($input: CreateTestTenantInput!) {
    createTestTenant(input: $input) {
      token
    }
  }
`);

const ResetTestTenant = graphql(`
  mutation ResetTestTenant($id: UUID!) {
    resetTestTenant(id: $id) {
      id
    }
  }
`);

const DeleteTestTenant = graphql(`
  mutation DeleteTestTenant($id: UUID!) {
    deleteTestTenant(id: $id) {
      id
    }
  }
`);

type Row = ResultOf<typeof TestTenantsQuery>['testTenants']['items'][number];

export default function TestTenants(): ReactNode {
  const { tenant } = useSession();
  const [{ data, error }, refetch] = useQuery({ query: TestTenantsQuery });
  const [creating, dialog] = useDisclosure();
  const [token, setToken] = useState<string>();
  const create = !tenant.test && (
    <Button leftSection={<PlusIcon width={18} aria-hidden />} onClick={dialog.open}>
      {t('New test tenant')}
    </Button>
  );
  const memberOf = new Set(data?.me.tenants.map(({ id }) => id));
  return (
    <Page
      title={t('Test tenants')}
      description={t('Books to try programs with: documents have a watermark, and all of it can be deleted at once.')}
      guide={{ href: '/docs/test-tenants', label: t('Test tenants') }}
      actions={data && data.testTenants.items.length > 0 && create}
    >
      <SimpleTable
        caption={t('Test tenants')}
        columns={buildColumns(memberOf, () => refetch({ requestPolicy: 'network-only' }))}
        rows={data?.testTenants.items}
        error={error}
        refetch={refetch}
        empty={
          <EmptyState
            icon={<BeakerIcon width={40} aria-hidden />}
            title={t('No test tenants yet')}
            description={
              tenant.test ? t('A test tenant has none itself.') : t('Make one for each program that you develop.')
            }
          >
            {create}
          </EmptyState>
        }
      />
      <Dialog title={t('New test tenant')} opened={creating} onClose={dialog.close}>
        <NewTestTenant
          onCancel={dialog.close}
          onDone={(value) => {
            dialog.close();
            setToken(value);
            refetch({ requestPolicy: 'network-only' });
          }}
        />
      </Dialog>
      <OneTimeSecret
        title={t('Test tenant made')}
        value={token}
        name={t('its token')}
        onClose={() => setToken(undefined)}
      />
    </Page>
  );
}

const buildColumns = (memberOf: ReadonlySet<string>, refetch: () => void): Column<Row>[] => [
  {
    header: t('Name'),
    lead: true,
    cell: ({ id, name }) =>
      memberOf.has(id) ? (
        // A new page: the tenants of the session are read again.
        <Anchor className="long" href={`/${id}`} size="sm" fw={600}>
          {name}
        </Anchor>
      ) : (
        <Text className="long" size="sm" fw={600}>
          {name}
        </Text>
      ),
  },
  { header: t('Made'), cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    header: t('Actions'),
    hidden: true,
    align: 'right',
    cell: (row) => <Actions row={row} refetch={refetch} />,
  },
];

function Actions({ row: { id, name }, refetch }: { row: Row; refetch: () => void }): ReactNode {
  const [{ fetching: resetting }, reset] = useMutation(ResetTestTenant);
  const [{ fetching: deleting }, remove] = useMutation(DeleteTestTenant);
  const confirmAndReset = async (): Promise<void> => {
    const confirmed = await confirm({
      title: t('Reset the test tenant?'),
      children: t('All books, webhooks, and files of “{name}” are deleted at once. Its tokens stay.', { name }),
      confirm: t('Reset'),
      danger: true,
    });
    if (!confirmed) return;
    const { error } = await reset({ id });
    if (error) notifyError(error);
    else notifySuccess(t('The test tenant is reset.'));
  };
  const confirmAndDelete = async (): Promise<void> => {
    const confirmed = await confirm({
      title: t('Delete the test tenant?'),
      children: t('“{name}” is deleted at once, with all books and tokens. This can’t be undone.', { name }),
      confirm: t('Delete'),
      danger: true,
    });
    if (!confirmed) return;
    const { error } = await remove({ id });
    if (error) return notifyError(error);
    notifySuccess(t('The test tenant is deleted.'));
    refetch();
  };
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button
        variant="default"
        size="xs"
        onClick={confirmAndReset}
        loading={resetting}
        aria-label={t('Reset {name}', { name })}
      >
        {t('Reset')}
      </Button>
      <Button
        variant="default"
        size="xs"
        onClick={confirmAndDelete}
        loading={deleting}
        aria-label={t('Delete {name}', { name })}
      >
        {t('Delete')}
      </Button>
    </Group>
  );
}

function NewTestTenant({ onDone, onCancel }: { onDone: (token: string) => void; onCancel: () => void }): ReactNode {
  const { tenant } = useSession();
  const [, create] = useMutation(CreateTestTenant);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: t('{name} (test)', { name: tenant.name }).slice(0, 255) },
  });
  const submission = useSubmit(
    form,
    (input, context) => create({ input }, context),
    ({ createTestTenant: { token } }) => onDone(token),
  );
  return (
    <Form submission={submission} submit={t('Make it')} onCancel={onCancel}>
      <TextInput
        label={t('Name')}
        description={t('It gets a copy of the company profile, and you as its member.')}
        required
        key={form.key('name')}
        {...form.getInputProps('name')}
      />
    </Form>
  );
}
