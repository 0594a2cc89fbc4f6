import { expect, it, onTestFinished } from 'vitest';
import { startService } from '../harness.ts';

it('/health/ready answers 200 and says so while a worker has a fault: load balancers go on sending requests', async () => {
  const message = 'The worker with the nodeid 3 does not answer.';
  let fault: string | undefined;
  const service = await startService({ readiness: { impaired: async () => fault } });
  onTestFinished(service.close);
  const answer = async (): Promise<unknown[]> => {
    const { status, body } = await service.request('GET', '/health/ready');
    return [status, body];
  };
  expect(await answer()).toEqual([200, { status: 'ready' }]);
  fault = message;
  expect(await answer()).toEqual([200, { status: 'impaired', message }]);
});
