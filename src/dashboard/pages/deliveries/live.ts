import { useSubscription } from 'urql';
import { useFetchAgain, useVisible } from '../../api/live.ts';
import { hasUnsaved } from '../../forms/unsaved.ts';
import { graphql } from '../../graphql.ts';

const DeliveryChanged = graphql(`
  subscription DeliveryChanged($webhookId: UUID) {
    deliveryChanged(webhookId: $webhookId) {
      id
    }
  }
`);

/** A busy webhook has deliveries all the time, and its page has two queries. In milliseconds. */
const pause = 2000;

/** Fetches again when a delivery is created or changes. A form with unsaved input is left alone, as by LiveBooks(). */
export function useDeliveryChanges(
  webhookId: string | null,
  refetch: (options: { requestPolicy: 'network-only' }) => void,
): void {
  const [{ data }] = useSubscription({ query: DeliveryChanged, variables: { webhookId }, pause: !useVisible() });
  useFetchAgain(
    data,
    () => refetch({ requestPolicy: 'network-only' }),
    pause,
    () => !hasUnsaved(),
  );
}
