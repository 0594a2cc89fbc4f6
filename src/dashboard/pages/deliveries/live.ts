import { useDocumentVisibility } from '@mantine/hooks';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useSubscription } from 'urql';
import { graphql } from '../../graphql.ts';
import { useStream } from '../../api/event-stream.ts';

const DeliveryChanged = graphql(`
  subscription DeliveryChanged($webhookId: UUID) {
    deliveryChanged(webhookId: $webhookId) {
      id
    }
  }
`);

/** A statement's import can make hundreds of deliveries within a second: the list is asked for once. */
const pauseMs = 400;

/**
 * Fetches again when a delivery is made or changes, as the server says; and after a time when it couldn't say, be it
 * that the connection was lost or that nobody looked: a hidden window keeps no connection, of which browsers have few.
 */
export function useDeliveryChanges(
  webhookId: string | null,
  refetch: (options: { requestPolicy: 'network-only' }) => void,
): void {
  const visible = useDocumentVisibility() === 'visible';
  const [{ data }] = useSubscription({ query: DeliveryChanged, variables: { webhookId }, pause: !visible });
  const { gaps } = useStream();
  const seen = useRef({ data, gaps, visible });
  const pending = useRef<ReturnType<typeof setTimeout>>(undefined);
  const refresh = useEffectEvent(() => refetch({ requestPolicy: 'network-only' }));
  useEffect(() => {
    const before = seen.current;
    seen.current = { data, gaps, visible };
    const missed = gaps !== before.gaps || (visible && !before.visible);
    if (!missed && (!data || data === before.data)) return;
    pending.current ??= setTimeout(() => {
      pending.current = undefined;
      refresh();
    }, pauseMs);
  }, [data, gaps, visible]);
  useEffect(() => () => clearTimeout(pending.current), []);
}
