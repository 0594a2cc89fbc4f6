import { Alert, Button, Group, Loader, Text } from '@mantine/core';
import { BoltIcon, CheckCircleIcon, XCircleIcon } from '@heroicons/react/24/outline';
import { useEffect, useState, type ReactNode } from 'react';
import { useClient, useMutation } from 'urql';
import { useAnnounce } from '../../../components/announce.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { notifyError } from '../../../components/toast.ts';
import { graphql, type ResultOf } from '../../../graphql.ts';
import { t, translate } from '../../../i18n/t.ts';

const PingWebhook = graphql(`
  mutation PingWebhook($id: UUID!) {
    pingWebhook(id: $id) {
      id
    }
  }
`);

const PingOutcome = graphql(`
  query PingOutcome($id: UUID!) {
    delivery(id: $id) {
      id
      state
      attempts {
        number
        status
        durationMs
        error
      }
    }
  }
`);

type Outcome = NonNullable<ResultOf<typeof PingOutcome>['delivery']>;

/** A webhook's Ping button and its result. */
export function usePing(webhookId: string): { button: ReactNode; outcome: ReactNode } {
  const [{ fetching }, ping] = useMutation(PingWebhook);
  const [delivery, setDelivery] = useState<string>();
  const outcome = useOutcome(delivery);
  const send = async (): Promise<void> => {
    setDelivery(undefined);
    const { data, error } = await ping({ id: webhookId });
    if (error) notifyError(error);
    setDelivery(data?.pingWebhook.id);
  };
  const waiting = fetching || (delivery !== undefined && !outcome);
  return {
    button: (
      <Button variant="default" onClick={send} loading={waiting} leftSection={<BoltIcon width={18} aria-hidden />}>
        {t('Ping')}
      </Button>
    ),
    outcome: delivery && <PingResult deliveryId={delivery} outcome={outcome} />,
  };
}

/** Polls the delivery until its first attempt has ended. */
function useOutcome(deliveryId: string | undefined): Outcome | undefined {
  const client = useClient();
  const announce = useAnnounce();
  const [outcome, setOutcome] = useState<Outcome>();
  useEffect(() => {
    if (!deliveryId) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    let unmounted = false;
    const poll = async (): Promise<void> => {
      const { data } = await client.query(PingOutcome, { id: deliveryId }, { requestPolicy: 'network-only' });
      if (unmounted) return;
      const pinged = data?.delivery;
      if (typeof pinged?.attempts[0]?.durationMs !== 'number') {
        timer = setTimeout(poll, 400);
        return;
      }
      setOutcome(pinged);
      announce(describe(pinged));
    };
    void poll();
    return () => {
      unmounted = true;
      clearTimeout(timer);
    };
  }, [client, announce, deliveryId]);
  return outcome?.id === deliveryId ? outcome : undefined;
}

function describe({ attempts: [attempt] }: Outcome): string {
  if (!attempt) return '';
  const { status, error, durationMs } = attempt;
  const duration = String(durationMs);
  return status
    ? t('Responded with {status} after {duration} ms.', { status: String(status), duration })
    : t('{error} (after {duration} ms).', { error: error ? translate(error) : t('No response'), duration });
}

function PingResult({ deliveryId, outcome }: { deliveryId: string; outcome: Outcome | undefined }): ReactNode {
  if (!outcome) {
    return (
      <Alert color="gray" icon={<Loader size={18} />} title={t('Pinging')}>
        {t('Waiting up to 10 seconds for a response.')}
      </Alert>
    );
  }
  const delivered = outcome.state === 'DELIVERED';
  const Icon = delivered ? CheckCircleIcon : XCircleIcon;
  return (
    <Alert
      color={delivered ? 'teal' : 'red'}
      icon={<Icon aria-hidden />}
      title={delivered ? t('The ping arrived') : t('The ping failed')}
    >
      <Group gap="xs">
        <Text size="sm">{describe(outcome)}</Text>
        <TextLink to={`/deliveries/${deliveryId}`} underline="always" c="inherit">
          {t('View delivery')}
        </TextLink>
      </Group>
    </Alert>
  );
}
