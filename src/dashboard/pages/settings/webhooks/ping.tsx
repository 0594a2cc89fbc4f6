import { Alert, Button, Group, Loader, Text } from '@mantine/core';
import { BoltIcon, CheckCircleIcon, XCircleIcon } from '@heroicons/react/24/outline';
import { useEffect, useState, type ReactNode } from 'react';
import { useClient, useMutation } from 'urql';
import { useAnnounce } from '../../../components/announce.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { failed } from '../../../components/toast.ts';
import { graphql, type ResultOf } from '../../../graphql.ts';

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

type Outcome = ResultOf<typeof PingOutcome>['delivery'];

/** A webhook's Ping button, with the result beside it. */
export function usePing(webhookId: string): { button: ReactNode; outcome: ReactNode } {
  const [{ fetching }, ping] = useMutation(PingWebhook);
  const [delivery, setDelivery] = useState<string>();
  const outcome = useOutcome(delivery);
  const send = async (): Promise<void> => {
    setDelivery(undefined);
    const { data, error } = await ping({ id: webhookId });
    if (error) failed(error);
    setDelivery(data?.pingWebhook.id);
  };
  const waiting = fetching || (delivery !== undefined && !outcome);
  return {
    button: (
      <Button variant="default" onClick={send} loading={waiting} leftSection={<BoltIcon width={18} aria-hidden />}>
        Ping
      </Button>
    ),
    outcome: delivery && <PingResult deliveryId={delivery} outcome={outcome} />,
  };
}

/** Asks for the delivery until its first attempt has ended. */
function useOutcome(deliveryId: string | undefined): Outcome | undefined {
  const client = useClient();
  const announce = useAnnounce();
  const [outcome, setOutcome] = useState<Outcome>();
  useEffect(() => {
    if (!deliveryId) return undefined;
    let timer: ReturnType<typeof setTimeout>;
    let gone = false;
    const look = async (): Promise<void> => {
      const { data } = await client.query(PingOutcome, { id: deliveryId }, { requestPolicy: 'network-only' });
      if (gone) return;
      const first = data?.delivery.attempts[0];
      if (!first || first.durationMs === null) {
        timer = setTimeout(look, 400);
        return;
      }
      setOutcome(data.delivery);
      announce(sentence(data.delivery));
    };
    void look();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [client, announce, deliveryId]);
  return outcome?.id === deliveryId ? outcome : undefined;
}

function sentence({ attempts: [attempt] }: Outcome): string {
  if (!attempt) return '';
  const took = `after ${attempt.durationMs} ms`;
  return attempt.status ? `Answered with ${attempt.status} ${took}.` : `${attempt.error ?? 'No answer'} (${took}).`;
}

function PingResult({ deliveryId, outcome }: { deliveryId: string; outcome: Outcome | undefined }): ReactNode {
  if (!outcome) {
    return (
      <Alert color="gray" icon={<Loader size={18} />} title="Pinging">
        Waiting for an answer, for at most 10 seconds.
      </Alert>
    );
  }
  const good = outcome.state === 'DELIVERED';
  const Icon = good ? CheckCircleIcon : XCircleIcon;
  return (
    <Alert
      color={good ? 'teal' : 'red'}
      icon={<Icon aria-hidden />}
      title={good ? 'The ping arrived' : 'The ping failed'}
    >
      <Group gap="xs">
        <Text size="sm">{sentence(outcome)}</Text>
        <TextLink to={`/deliveries/${deliveryId}`} underline="always" c="inherit">
          See the whole exchange
        </TextLink>
      </Group>
    </Alert>
  );
}
