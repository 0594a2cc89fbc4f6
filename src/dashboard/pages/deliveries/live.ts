import { useEffect, useEffectEvent, useRef } from 'react';
import { useSubscription } from 'urql';
import { graphql } from '../../graphql.ts';

const DeliveryChanged = graphql(`
  subscription DeliveryChanged($webhookId: UUID) {
    deliveryChanged(webhookId: $webhookId) {
      id
    }
  }
`);

/** A statement's import can make hundreds of deliveries within a second: the list is asked for once. */
const pauseMs = 400;

/** Fetches again when a delivery is made or changes: as the server says, while the page is open. */
export function useDeliveryChanges(
  webhookId: string | null,
  again: (options: { requestPolicy: 'network-only' }) => void,
): void {
  const [{ data }] = useSubscription({ query: DeliveryChanged, variables: { webhookId } });
  const refresh = useEffectEvent(() => again({ requestPolicy: 'network-only' }));
  const pending = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (!data || pending.current) return;
    pending.current = setTimeout(() => {
      pending.current = undefined;
      refresh();
    }, pauseMs);
  }, [data]);
  useEffect(() => () => clearTimeout(pending.current), []);
}
