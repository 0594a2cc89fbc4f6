import { run } from 'graphile-worker';
import { request } from 'undici';
import { databaseUrl, poolSize } from './environment.ts';

// Webhooks without any bookkeeping: a job, a POST. With LOCAL_QUEUE as its makers configure it for their
// own figures (worker.graphile.org/docs/performance): at a crash, hundreds of jobs stay locked for hours.

const batching = { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };

await run({
  connectionString: databaseUrl,
  maxPoolSize: poolSize,
  concurrency: 100,
  pollInterval: 1000,
  preset: { worker: process.env['LOCAL_QUEUE'] ? batching : {} },
  taskList: {
    bare_post: async (payload) => {
      const { url, body } = payload as { url: string; body: string };
      const response = await request(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      await response.body.dump();
      if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`);
    },
  },
});
