import { ActionIcon, Alert, Button, Card, Group, Menu, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  ArrowPathIcon,
  EllipsisHorizontalIcon,
  ExclamationTriangleIcon,
  KeyIcon,
  PauseIcon,
  PencilSquareIcon,
  PlayIcon,
  TrashIcon,
} from '@heroicons/react/24/outline';
import { useState, type ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { useLocation, useParams } from 'wouter';
import { confirm } from '../../../components/confirm.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { LoadError } from '../../../errors/error-boundary.tsx';
import { Page } from '../../../layout/page.tsx';
import { OneTimeSecret } from '../../../components/one-time-secret.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { Ago } from '../../../components/time.tsx';
import { notifySuccess, notifyError } from '../../../components/toast.ts';
import { count, dateTime, percent } from '../../../format/format.ts';
import { graphql } from '../../../graphql.ts';
import { EmptyList } from '../../../list/empty-list.tsx';
import { DeliveryTable, noDeliveries } from '../../deliveries/delivery-table.tsx';
import { useDeliveryChanges } from '../../deliveries/live.ts';
import { useListState } from '../../../list/list-state.ts';
import { WebhookFields, type Webhook } from './fields.ts';
import { usePing } from './ping.tsx';
import { RedeliverMissedDialog } from './redeliver-missed.tsx';
import { RotateSecretDialog } from './rotate-secret.tsx';
import { WebhookState } from './state.tsx';
import { EditWebhook } from './webhook-form.tsx';
import { t } from '../../../i18n/t.ts';
import { Trans } from '../../../i18n/trans.ts';

const WebhookQuery = graphql(
  `
    query Webhook($id: UUID!, $since: DateTime!) {
      webhook(id: $id) {
        ...WebhookFields
      }
      delivered: deliveries(webhookId: $id, state: DELIVERED, since: $since) {
        totalCount
      }
      failed: deliveries(webhookId: $id, state: FAILED, since: $since) {
        totalCount
      }
      setAside: deliveries(webhookId: $id, state: SET_ASIDE, since: $since) {
        totalCount
      }
    }
  `,
  [WebhookFields],
);

const EnableWebhook = graphql(`
  mutation EnableWebhook($id: UUID!) {
    enableWebhook(id: $id) {
      id
    }
  }
`);

const PauseWebhook = graphql(`
  mutation PauseWebhook($id: UUID!) {
    updateWebhook(id: $id, input: { active: false }) {
      id
    }
  }
`);

const DeleteWebhook = graphql(`
  mutation DeleteWebhook($id: UUID!) {
    deleteWebhook(id: $id) {
      id
    }
  }
`);

export default function WebhookPage(): ReactNode {
  const { id = '' } = useParams();
  const [since] = useState(() => new Date(Date.now() - 7 * 86_400_000).toISOString());
  const [{ data, error }, refetch] = useQuery({ query: WebhookQuery, variables: { id, since } });
  useDeliveryChanges(id, refetch);
  const back = { to: '/settings/webhooks', label: t('Webhooks') };
  if (!data?.webhook) {
    return (
      <Page title={t('Webhook')} back={back}>
        {error ? <LoadError error={error} refetch={refetch} /> : <Skeleton h={260} radius="md" />}
      </Page>
    );
  }
  return <Details webhook={data.webhook} week={data} />;
}

type Week = Record<'delivered' | 'failed' | 'setAside', { totalCount: number }>;

function Details({ webhook, week }: { webhook: Webhook; week: Week }): ReactNode {
  const { id, url, description, disabledAt, consecutiveFailures, active } = webhook;
  const ping = usePing(id);
  const [editing, edit] = useDisclosure();
  const [missed, redeliver] = useDisclosure();
  const [, enable] = useMutation(EnableWebhook);
  const list = useListState();
  const enableNow = async (): Promise<void> => {
    const { error } = await enable({ id });
    if (error) notifyError(error);
    else notifySuccess(t('The webhook is active.'));
  };
  return (
    <Page
      title={url}
      back={{ to: '/settings/webhooks', label: t('Webhooks') }}
      badge={<WebhookState webhook={webhook} />}
      description={description}
      actions={
        <>
          {ping.button}
          <Button variant="default" leftSection={<PencilSquareIcon width={18} aria-hidden />} onClick={edit.open}>
            {t('Edit')}
          </Button>
          <More webhook={webhook} enableNow={enableNow} onMissed={redeliver.open} />
        </>
      }
    >
      <Stack gap="lg">
        {ping.outcome}
        {!active && (
          <Alert
            color={disabledAt ? 'red' : 'gray'}
            icon={disabledAt ? <ExclamationTriangleIcon aria-hidden /> : <PauseIcon aria-hidden />}
            title={disabledAt ? t('Deactivated on {time}', { time: dateTime(disabledAt) }) : t('Paused')}
          >
            <Stack gap="xs" align="flex-start">
              <Text size="sm">
                {disabledAt && t('{count} deliveries in a row failed.', { count: consecutiveFailures })}{' '}
                {t('Events are recorded but not sent. Once the webhook is active again, you can redeliver them.')}
              </Text>
              <Button size="xs" onClick={enableNow}>
                {disabledAt ? t('Enable again') : t('Resume')}
              </Button>
            </Stack>
          </Alert>
        )}
        <Health webhook={webhook} week={week} />
        <div>
          <Group justify="space-between" mb="sm">
            <Title order={2} size="h4">
              {t('Deliveries')}
            </Title>
            <TextLink className="target" to={`/deliveries?webhook=${id}`}>
              {t('Search deliveries')}
            </TextLink>
          </Group>
          <DeliveryTable
            list={list}
            filters={{ webhookId: id }}
            oneWebhook
            empty={<EmptyList list={list} {...noDeliveries} />}
          />
        </div>
      </Stack>
      <Dialog title={t('Edit the webhook')} opened={editing} onClose={edit.close}>
        <EditWebhook webhook={webhook} onDone={edit.close} />
      </Dialog>
      <RedeliverMissedDialog webhook={webhook} opened={missed} onClose={redeliver.close} />
    </Page>
  );
}

function Health({ webhook, week }: { webhook: Webhook; week: Week }): ReactNode {
  const { events, consecutiveFailures, lastSuccessAt, lastFailureAt, waiting, formerSecretsUntil, createdAt } = webhook;
  const [delivered, failedCount] = [week.delivered.totalCount, week.failed.totalCount];
  const rate =
    delivered + failedCount === 0 ? '–' : percent(String(Math.floor((100 * delivered) / (delivered + failedCount))));
  const metrics: [label: string, value: ReactNode, note: ReactNode][] = [
    [
      t('Delivered, 7 days'),
      rate,
      t('{delivered} delivered, {failed} failed', { delivered: count(delivered), failed: count(failedCount) }),
    ],
    [
      t('Waiting'),
      count(waiting),
      t('{missed} missed while paused (7 days)', { missed: count(week.setAside.totalCount) }),
    ],
    [t('Failed in a row'), count(consecutiveFailures), t('Turned off after 100 in a row')],
    [
      t('Last success'),
      <Ago key="at" at={lastSuccessAt} />,
      <Trans key="failure" i18nKey="Last failure: <ago />" components={{ ago: <Ago at={lastFailureAt} /> }} />,
    ],
  ];
  return (
    <Card withBorder radius="md">
      <SimpleGrid cols={{ base: 2, md: 4 }} component="dl" m={0}>
        {metrics.map(([name, value, note]) => (
          <div key={name}>
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" m={0} size="xl" fw={600} className="numbers">
              {value}
            </Text>
            <Text component="dd" m={0} size="xs" c="dimmed">
              {note}
            </Text>
          </div>
        ))}
      </SimpleGrid>
      <Text size="sm" c="dimmed" mt="md">
        <Trans
          i18nKey="{events}. Added <ago />."
          values={{ events: events.includes('*') ? t('All events') : events.join(', ') }}
          components={{ ago: <Ago at={createdAt} /> }}
        />{' '}
        {describeFormerSecrets(formerSecretsUntil.map(dateTime))}
      </Text>
    </Card>
  );
}

/** When the one or two former secrets expire. */
function describeFormerSecrets([first, second]: string[]): string | undefined {
  if (first === undefined) return undefined;
  return second === undefined
    ? t('Also signed with the previous secret until {time}.', { time: first })
    : t('Also signed with the previous secret until {first}, and {second}.', { first, second });
}

interface MoreProps {
  webhook: Webhook;
  enableNow: () => Promise<void>;
  onMissed: () => void;
}

function More({ webhook, enableNow, onMissed }: MoreProps): ReactNode {
  const { id, url, active } = webhook;
  const [, navigate] = useLocation();
  const [, pause] = useMutation(PauseWebhook);
  const [, remove] = useMutation(DeleteWebhook);
  const [rotating, rotation] = useDisclosure();
  const [secret, setSecret] = useState<string>();
  const confirmAndDelete = async (): Promise<void> => {
    const confirmed = await confirm({
      title: t('Delete the webhook?'),
      children: t(
        '{url} receives no more requests, and waiting deliveries are not sent. Past deliveries stay in the delivery log.',
        { url },
      ),
      confirm: t('Delete'),
      danger: true,
    });
    if (!confirmed) return;
    const { error } = await remove({ id });
    if (error) return notifyError(error);
    notifySuccess(t('The webhook is deleted.'));
    navigate('/settings/webhooks');
  };
  const pauseNow = async (): Promise<void> => {
    const { error } = await pause({ id });
    if (error) notifyError(error);
    else notifySuccess(t('The webhook is paused.'));
  };
  return (
    <>
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t('More actions')}>
            <EllipsisHorizontalIcon width={20} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {active ? (
            <Menu.Item leftSection={<PauseIcon width={18} aria-hidden />} onClick={pauseNow}>
              {t('Pause')}
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<PlayIcon width={18} aria-hidden />} onClick={enableNow}>
              {t('Enable')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<ArrowPathIcon width={18} aria-hidden />} onClick={onMissed} disabled={!active}>
            {t('Redeliver missed events…')}
          </Menu.Item>
          <Menu.Item leftSection={<KeyIcon width={18} aria-hidden />} onClick={rotation.open}>
            {t('Rotate the secret…')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item c="red" leftSection={<TrashIcon width={18} aria-hidden />} onClick={confirmAndDelete}>
            {t('Delete…')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <RotateSecretDialog
        webhookId={id}
        formerUntil={webhook.formerSecretsUntil}
        opened={rotating}
        onClose={rotation.close}
        onDone={(created) => {
          rotation.close();
          setSecret(created);
        }}
      />
      <OneTimeSecret
        title={t('The new secret')}
        value={secret}
        name={t('the secret')}
        onClose={() => setSecret(undefined)}
      />
    </>
  );
}
