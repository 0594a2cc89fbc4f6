import type { Task } from 'graphile-worker';

/** The payload of a tenant's jobs. */
export interface TenantPayload {
  tenantId: string;
}

/** The queue gives up after so many attempts. A worker that stops uses one up. */
const maxAttempts = 1000;

/**
 * The job of a trigger, which can't name a queue: adds the tenant's job of a task. The jobs of a queue run one after another,
 * whichever worker runs them.
 * @param queue its name, of which each tenant has one
 */
export const startInQueue =
  (task: string, queue: string): Task =>
  async (payload, { addJob }) => {
    const { tenantId } = payload as TenantPayload;
    const name = `${queue} ${tenantId}`;
    await addJob(task, { tenantId }, { queueName: name, jobKey: name, maxAttempts });
  };
