import type { WorkerUtils } from 'graphile-worker';
import type { Logger } from 'pino';
import { logFailure } from '../../database/log-failure.ts';
import type { UnscopedClient } from '../../../prisma/client.ts';

const beatMs = 5000;
/** A worker without a heartbeat for this long counts as dead: other workers take over its jobs. */
const deadAfterSeconds = 20;
/** The longest delay before a failed job is retried. The queue's own delays would grow to hours. */
const maxRetryDelaySeconds = 20;
/** The attempt count is capped here, so that the queue's delays stop growing. The queue gives up at a much higher count. */
const maxAttempts = 10;

/**
 * Records a worker's heartbeat, and frees the jobs of dead workers: the queue itself would keep them locked for hours. Retries
 * failed jobs soon: their cause, such as an unreachable database, may be gone.
 * @param workerId the queue's name for this worker, by which its jobs are locked
 * @returns a function that stops the heartbeat and frees the worker's jobs
 */
export async function startHeartbeat(
  client: UnscopedClient,
  utils: WorkerUtils,
  workerId: string,
  log: Logger,
): Promise<() => Promise<void>> {
  const recordHeartbeat = (): Promise<unknown> => client.$executeRaw`
    insert into workers (id, seen_at) values (${workerId}, now())
    on conflict (id) do update set seen_at = now()`;

  const freeJobsOfDead = async (): Promise<void> => {
    // All times are by the database's clock. The queue stores which worker has locked a job, and when.
    const dead = await client.$queryRaw<{ id: string }[]>`
      select distinct locked_by as id from graphile_worker.jobs
      where locked_at < now() - make_interval(secs => ${deadAfterSeconds}::int)
        and not exists (
          select from workers
          where workers.id = locked_by and seen_at > now() - make_interval(secs => ${deadAfterSeconds}::int)
        )`;
    if (dead.length === 0) return;
    const ids = dead.map(({ id }) => id);
    log.warn({ workers: ids }, 'freeing the jobs of dead workers');
    await utils.forceUnlockWorkers(ids);
    await client.worker.deleteMany({ where: { id: { in: ids } } });
  };

  const capRetryDelays = (): Promise<unknown> => client.$queryRaw`
    select hurried.id from graphile_worker.jobs, lateral graphile_worker.reschedule_jobs(
      array[jobs.id], run_at => now() + make_interval(secs => ${maxRetryDelaySeconds}::int), attempts => ${maxAttempts}::int
    ) as hurried
    where jobs.last_error is not null and jobs.locked_at is null
      and jobs.run_at > now() + make_interval(secs => ${maxRetryDelaySeconds}::int)`;

  const beat = async (): Promise<void> => {
    await recordHeartbeat();
    await freeJobsOfDead();
    await capRetryDelays();
  };

  await beat();
  /** The beat that is under way. While the database hangs, those of many intervals would wait, and the end for all of them. */
  let beating: Promise<void> | undefined;
  const timer = setInterval(() => {
    beating ??= beat()
      .catch((err: unknown) => logFailure(log, err, 'presence'))
      .finally(() => (beating = undefined));
  }, beatMs);
  return async () => {
    clearInterval(timer);
    await beating;
    await utils.forceUnlockWorkers([workerId]); // jobs that it could not give back
    await client.worker.deleteMany({ where: { id: workerId } });
  };
}
