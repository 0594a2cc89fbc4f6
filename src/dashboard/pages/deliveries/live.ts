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

/** An import can create hundreds of deliveries within a second. They cause one refetch. */
const throttleMs = 400;

/**
 * Refetches when a delivery is created or changes, and after events may have been missed: when the connection was
 * interrupted, or when the window was hidden. A hidden window has no subscription, because browsers allow few connections.
 */
export function useDeliveryChanges(
  webhookId: string | null,
  refetch: (options: { requestPolicy: 'network-only' }) => void,
): void {
  const visible = useDocumentVisibility() === 'visible';
  const [{ data }] = useSubscription({ query: DeliveryChanged, variables: { webhookId }, pause: !visible });
  const { gaps } = useStream();
  const last = useRef({ data, gaps, visible });
  const pending = useRef<ReturnType<typeof setTimeout>>(undefined);
  const refetchNow = useEffectEvent(() => refetch({ requestPolicy: 'network-only' }));
  useEffect(() => {
    const before = last.current;
    last.current = { data, gaps, visible };
    const missed = gaps !== before.gaps || (visible && !before.visible);
    if (!missed && (!data || data === before.data)) return;
    pending.current ??= setTimeout(() => {
      pending.current = undefined;
      refetchNow();
    }, throttleMs);
  }, [data, gaps, visible]);
  useEffect(() => () => clearTimeout(pending.current), []);
}
