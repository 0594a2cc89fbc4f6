import { Badge, Button, Code, EmptyState, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { KeyIcon, PlusIcon } from '@heroicons/react/24/outline';
import { useState, type ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { CodeBlock } from '../../components/code-block.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Page } from '../../layout/page.tsx';
import { OneTimeSecret } from '../../components/one-time-secret.tsx';
import type { Column } from '../../list/responsive-table.tsx';
import { SimpleTable } from '../../list/simple-table.tsx';
import { Ago } from '../../components/time.tsx';
import { notifySuccess, notifyError } from '../../components/toast.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { describeAbilities } from './abilities.ts';
import { TokenForm } from './token-form.tsx';
import { ChangeLimit, showLimit, type TokenLimits } from './token-limit.tsx';
import { t } from '../../i18n/t.ts';

const ApiTokensQuery = graphql(`
  query ApiTokens {
    apiTokens {
      id
      name
      abilities
      trustedDocuments
      requestsPerMinute
      lastFour
      lastUsedAt
      expiresAt
      createdAt
    }
    apiTokenLimits {
      requestsPerMinute
      maxRequestsPerMinute
    }
  }
`);

const RevokeApiToken = graphql(`
  mutation RevokeApiToken($id: UUID!) {
    revokeApiToken(id: $id) {
      id
    }
  }
`);

type Token = ResultOf<typeof ApiTokensQuery>['apiTokens'][number];

export default function ApiTokens(): ReactNode {
  const [{ data, error }, refetch] = useQuery({ query: ApiTokensQuery });
  const [generating, dialog] = useDisclosure();
  const [value, setValue] = useState<string>();
  const generate = (
    <Button leftSection={<PlusIcon width={18} aria-hidden />} onClick={dialog.open}>
      {t('Generate a token')}
    </Button>
  );
  return (
    <Page
      title={t('API tokens')}
      description={t('A token gives a program access to this tenant’s books over REST and GraphQL, in your name.')}
      guide={{ href: '/docs/authentication', label: t('Authentication') }}
      actions={data && data.apiTokens.length > 0 && generate}
    >
      <SimpleTable
        caption={t('API tokens')}
        columns={data ? buildColumns(data.apiTokenLimits) : []}
        rows={data?.apiTokens}
        error={error}
        refetch={refetch}
        empty={
          <EmptyState
            icon={<KeyIcon width={40} aria-hidden />}
            title={t('No tokens yet')}
            description={t('Generate one token per program, so that you can revoke each separately.')}
          >
            {generate}
          </EmptyState>
        }
      />
      <Dialog title={t('Generate a token')} opened={generating} onClose={dialog.close}>
        <TokenForm
          limits={data?.apiTokenLimits ?? null}
          onCancel={dialog.close}
          onDone={(token) => {
            dialog.close();
            setValue(token);
          }}
        />
      </Dialog>
      <OneTimeSecret
        title={t('Token generated')}
        value={value}
        name={t('the token')}
        onClose={() => setValue(undefined)}
      >
        <Text size="sm">{t('Programs send it with every request:')}</Text>
        <CodeBlock
          label={t('A first request')}
          code={`curl -s ${window.location.origin}/api/v1/me -H 'Authorization: Bearer ${value ?? ''}'`}
          wrap
        />
      </OneTimeSecret>
    </Page>
  );
}

const expired = ({ expiresAt }: Token): boolean => expiresAt !== null && new Date(expiresAt).getTime() < Date.now();

const buildColumns = (limits: TokenLimits): Column<Token>[] => [
  {
    header: t('Name'),
    lead: true,
    cell: ({ name, lastFour }) => (
      <>
        <Text className="long" size="sm" fw={600} lineClamp={2} title={name}>
          {name}
        </Text>
        <Code>…{lastFour}</Code>
      </>
    ),
  },
  {
    header: t('Abilities'),
    cell: ({ abilities, trustedDocuments }) => (
      <>
        {describeAbilities(abilities)}
        {trustedDocuments && (
          <Text size="xs" c="dimmed">
            {t('Only trusted documents')}
          </Text>
        )}
      </>
    ),
  },
  { header: t('Requests a minute'), cell: ({ requestsPerMinute }) => showLimit(requestsPerMinute, limits) },
  { header: t('Last used'), cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} /> },
  {
    header: t('Expires'),
    cell: (token) =>
      expired(token) ? (
        <Badge variant="light" color="red" tt="none">
          {t('Expired')}
        </Badge>
      ) : (
        <Ago at={token.expiresAt} />
      ),
  },
  { header: t('Generated'), cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    header: t('Actions'),
    hidden: true,
    align: 'right',
    cell: (token) => (
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        <ChangeLimit token={token} limits={limits} />
        <Revoke token={token} />
      </Group>
    ),
  },
];

function Revoke({ token: { id, name } }: { token: Token }): ReactNode {
  const [{ fetching }, revoke] = useMutation(RevokeApiToken);
  const confirmAndRevoke = async (): Promise<void> => {
    const confirmed = await confirm({
      title: t('Revoke the token?'),
      children: t('Anything using “{name}” loses access immediately. This can’t be undone.', { name }),
      confirm: t('Revoke'),
      danger: true,
    });
    if (!confirmed) return;
    const { error } = await revoke({ id });
    if (error) notifyError(error);
    else notifySuccess(t('The token is revoked.'));
  };
  return (
    <Button
      variant="default"
      size="xs"
      onClick={confirmAndRevoke}
      loading={fetching}
      aria-label={t('Revoke {name}', { name })}
    >
      {t('Revoke')}
    </Button>
  );
}
