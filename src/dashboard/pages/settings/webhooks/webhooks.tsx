import { Anchor, Badge, Button, Card, EmptyState, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { BoltIcon, PlusIcon } from '@heroicons/react/24/outline';
import { useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { Dialog } from '../../../components/dialog.tsx';
import { LoadError } from '../../../errors/error-boundary.tsx';
import { Page } from '../../../layout/page.tsx';
import { OneTimeSecret } from '../../../components/one-time-secret.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { Ago } from '../../../components/time.tsx';
import { count } from '../../../format/format.ts';
import { graphql } from '../../../graphql.ts';
import { WebhookFields, type Webhook } from './fields.ts';
import { WebhookState } from './state.tsx';
import { AddWebhook } from './webhook-form.tsx';
import { t } from '../../../i18n/t.ts';
import { Trans } from '../../../i18n/trans.ts';

const WebhooksQuery = graphql(
  `
    query Webhooks {
      webhooks {
        nodes {
          ...WebhookFields
        }
      }
    }
  `,
  [WebhookFields],
);

export default function Webhooks(): ReactNode {
  const [{ data, error }, refetch] = useQuery({ query: WebhooksQuery });
  const webhooks = data?.webhooks.nodes;
  const [adding, dialog] = useDisclosure();
  const [created, setCreated] = useState<{ webhook: Webhook; secret: string }>();
  const [, navigate] = useLocation();
  const add = (
    <Button leftSection={<PlusIcon width={18} aria-hidden />} onClick={dialog.open}>
      {t('Add a webhook')}
    </Button>
  );
  const close = (): void => {
    setCreated(undefined);
    if (created) navigate(`/settings/webhooks/${created.webhook.id}`);
  };
  return (
    <Page
      title={t('Webhooks')}
      description={t('Kontor sends events to these addresses as signed requests, and retries until they succeed.')}
      guide={{ href: '/docs/webhooks', label: t('Webhooks') }}
      actions={webhooks && webhooks.length > 0 && add}
    >
      {error && !data ? (
        <LoadError error={error} refetch={refetch} />
      ) : webhooks?.length === 0 ? (
        <Card withBorder radius="md" p="xl">
          <EmptyState
            icon={<BoltIcon width={40} aria-hidden />}
            title={t('No webhooks yet')}
            description={t(
              'Add your program’s address to be notified of every paid invoice and every changed customer.',
            )}
          >
            {add}
          </EmptyState>
        </Card>
      ) : (
        <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }} aria-label={t('Webhooks')}>
          {webhooks
            ? webhooks.map((webhook) => <Row key={webhook.id} webhook={webhook} />)
            : [1, 2].map((row) => <Skeleton key={row} component="li" h={104} radius="md" />)}
        </Stack>
      )}
      <Dialog title={t('Add a webhook')} opened={adding} onClose={dialog.close}>
        <AddWebhook
          onCancel={dialog.close}
          onDone={(webhook, secret) => {
            dialog.close();
            setCreated({ webhook, secret });
          }}
        />
      </Dialog>
      <OneTimeSecret title={t('Webhook added')} value={created?.secret} name={t('the secret')} onClose={close}>
        <Text size="sm">
          <Trans
            i18nKey="Your program uses it to verify that a request comes from Kontor and is unchanged. <a>How to verify</a>"
            components={{ a: <Anchor href="/docs/webhooks" target="_blank" size="sm" /> }}
          />
        </Text>
      </OneTimeSecret>
    </Page>
  );
}

function Row({ webhook }: { webhook: Webhook }): ReactNode {
  const { id, url, description, events, consecutiveFailures, lastSuccessAt, lastFailureAt, waiting } = webhook;
  return (
    <Card withBorder radius="md" component="li">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Stack gap={2} miw={0}>
          <TextLink to={`/settings/webhooks/${id}`} size="md" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {url}
          </TextLink>
          {description && <Text size="sm">{description}</Text>}
        </Stack>
        <WebhookState webhook={webhook} />
      </Group>
      <Group gap="lg" mt="sm" fz="sm" c="dimmed">
        <Badge variant="default" tt="none" fw={500}>
          {events.includes('*') ? t('All events') : t('{count} events', { count: events.length })}
        </Badge>
        <span>
          <Trans i18nKey="Last success: <ago />" components={{ ago: <Ago at={lastSuccessAt} /> }} />
        </span>
        {lastFailureAt && (
          <span>
            <Trans i18nKey="Last failure: <ago />" components={{ ago: <Ago at={lastFailureAt} /> }} />
          </span>
        )}
        {consecutiveFailures > 0 && (
          <span>{t('{failures} failed in a row', { failures: count(consecutiveFailures) })}</span>
        )}
        {waiting > 0 && <span>{t('{deliveries} waiting', { deliveries: count(waiting) })}</span>}
      </Group>
    </Card>
  );
}
