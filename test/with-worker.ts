import { afterAll, beforeAll } from 'vitest';
import { startService, type Service } from './harness.ts';
import { work } from './webhooks/receiver.ts';

/**
 * Starts a service for the tests of a file, and a worker that does its jobs; and stops both after them.
 * @param onStart gets the service before the first test
 */
export function startWithWorker(onStart: (service: Service) => void): void {
  let stop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const service = await startService();
    const worker = await work(service);
    stop = async () => {
      await worker.stop();
      await service.close();
    };
    onStart(service);
  });
  afterAll(() => stop?.());
}
