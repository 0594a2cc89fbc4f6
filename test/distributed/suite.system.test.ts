import { describe } from 'vitest';
import { gateway } from '../harness.ts';

// These files run once more on databases that say that their books are distributed: every answer is the same. They are
// about connections; those about requests also go through a pooler (test/pooler/suite.system.test.ts).
describe('where the books are distributed', async () => {
  gateway.distributed = true;
  await import('../isolation/connections.test.ts');
  await import('../isolation/row-security.test.ts');
  await import('../isolation/connection-limit.test.ts');
  // These have a service for the whole file.
  describe('deliveries', async () => void (await import('../graphql/subscriptions/subscriptions.test.ts')));
  describe('events', async () => void (await import('../graphql/subscriptions/event-subscription.test.ts')));
  describe('changes', async () => void (await import('../changes/waiting.test.ts')));
  describe('the feed', async () => void (await import('../changes/concurrent-writes.test.ts')));
});
