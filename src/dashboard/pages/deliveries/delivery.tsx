import { Accordion, Alert, Button, Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { ArrowPathIcon, ClockIcon } from '@heroicons/react/24/outline';
import type { ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { useLocation, useParams } from 'wouter';
import { CopyButton } from '../../components/copy-button.tsx';
import { LoadError } from '../../errors/error-boundary.tsx';
import { Page } from '../../layout/page.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Due } from '../../components/time.tsx';
import { notifySuccess, notifyError } from '../../components/toast.ts';
import { dateTime, label } from '../../format/format.ts';
import { graphql, type ResultOf } from '../../graphql.ts';
import { AttemptItem } from './attempt.tsx';
import { useDeliveryChanges } from './live.ts';
import { DeliveryState } from './state.tsx';
import { Verify } from './verify.tsx';
import { t } from '../../i18n/t.ts';

const DeliveryQuery = graphql(`
  query Delivery($id: UUID!) {
    delivery(id: $id) {
      id
      kind
      state
      attemptCount
      nextAttemptAt
      createdAt
      finishedAt
      event {
        id
        type
        body
        createdAt
      }
      webhook {
        id
        url
        active
      }
      attempts {
        number
        startedAt
        durationMs
        requestHeaders {
          name
          value
        }
        status
        responseHeaders {
          name
          value
        }
        responseBody
        error
      }
    }
  }
`);

const Redeliver = graphql(`
  mutation Redeliver($id: UUID!) {
    redeliver(id: $id) {
      id
    }
  }
`);

export type Delivery = NonNullable<ResultOf<typeof DeliveryQuery>['delivery']>;

export default function DeliveryPage(): ReactNode {
  const { id = '' } = useParams();
  const [{ data, error }, refetch] = useQuery({ query: DeliveryQuery, variables: { id } });
  useDeliveryChanges(data?.delivery?.webhook.id ?? null, refetch);
  const back = { to: '/deliveries', label: t('Deliveries') };
  if (data?.delivery) return <Details key={id} delivery={data.delivery} />;
  return (
    <Page title={t('Delivery')} back={back}>
      {error ? <LoadError error={error} refetch={refetch} /> : <Skeleton h={320} radius="md" />}
    </Page>
  );
}

function Details({ delivery }: { delivery: Delivery }): ReactNode {
  const { id, state, attemptCount, attempts, event, webhook } = delivery;
  const [, navigate] = useLocation();
  const [{ fetching }, redeliver] = useMutation(Redeliver);
  const redeliverNow = async (): Promise<void> => {
    const { data, error } = await redeliver({ id });
    if (error) notifyError(error);
    if (!data) return;
    notifySuccess(t('Redelivered. This is the new delivery.'));
    navigate(`/deliveries/${data.redeliver.id}`);
  };
  const latest = attempts.at(-1);
  const signature = latest?.requestHeaders.find(({ name }) => name.toLowerCase() === 'x-service-signature')?.value;
  return (
    <Page
      title={event.type}
      back={{ to: '/deliveries', label: t('Deliveries') }}
      badge={<DeliveryState state={state} attempts={attemptCount} />}
      actions={
        <Button
          variant="default"
          leftSection={<ArrowPathIcon width={18} aria-hidden />}
          onClick={redeliverNow}
          loading={fetching}
          disabled={!webhook.active}
        >
          {t('Redeliver')}
        </Button>
      }
    >
      <Stack gap="lg">
        <Summary delivery={delivery} />
        <section aria-labelledby="attempts">
          <Title order={2} size="h4" mb="sm" id="attempts">
            {t('Attempts')}
          </Title>
          {attempts.length === 0 ? (
            <Alert color="gray" icon={<ClockIcon aria-hidden />}>
              {state === 'SET_ASIDE'
                ? t('Nothing was sent: the webhook was off. Enable it, then redeliver.')
                : t('The first attempt is about to start.')}
            </Alert>
          ) : (
            <Accordion variant="contained" radius="md" multiple defaultValue={[String(latest?.number)]} order={3}>
              {attempts.map((attempt) => (
                <AttemptItem key={attempt.number} attempt={attempt} body={event.body} />
              ))}
            </Accordion>
          )}
        </section>
        {signature && (
          <section aria-labelledby="verify">
            <Title order={2} size="h4" mb="sm" id="verify">
              {t('Verify the signature')}
            </Title>
            <Verify body={event.body} signature={signature} />
          </section>
        )}
      </Stack>
    </Page>
  );
}

function Summary({ delivery }: { delivery: Delivery }): ReactNode {
  const { id, kind, nextAttemptAt, createdAt, finishedAt, event, webhook } = delivery;
  const items: [name: string, value: ReactNode][] = [
    [
      t('Webhook'),
      <TextLink key="to" to={`/settings/webhooks/${webhook.id}`}>
        {webhook.url}
      </TextLink>,
    ],
    [t('Delivery'), <Id key="id" id={id} name={t('the delivery’s id')} />],
    [t('Event'), <Id key="id" id={event.id} name={t('the event’s id')} />],
    [t('Kind'), label(kind)],
    [t('Made'), dateTime(createdAt)],
    finishedAt ? [t('Finished'), dateTime(finishedAt)] : [t('Next attempt'), <Due key="at" at={nextAttemptAt} />],
  ];
  return (
    <Card withBorder radius="md">
      <SimpleGrid component="dl" m={0} cols={{ base: 1, xs: 2, lg: 3 }} spacing="md">
        {items.map(([name, value]) => (
          <div key={name}>
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" m={0} size="sm" style={{ overflowWrap: 'anywhere' }}>
              {value}
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </Card>
  );
}

function Id({ id, name }: { id: string; name: string }): ReactNode {
  return (
    <Group gap={4} wrap="nowrap">
      <code>{id}</code> <CopyButton value={id} name={name} />
    </Group>
  );
}
