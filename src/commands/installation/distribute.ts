import { InvalidArgumentError, type Command } from 'commander';
import { distribute, moveToWorker } from '../../../prisma/migrate/migrate.ts';
import { readConfig } from '../../config/config.ts';
import { RefusedError } from '../../identity/index.ts';
import { shutdownRequested } from '../../processes/signals.ts';
import { print } from '../output.ts';

export function addDistributeCommand(program: Command): void {
  const command = program
    .command('distribute')
    .description('distribute the books over the workers of a Citus cluster')
    .option('--shards <number>', 'into how many parts each table is split, in the first run (default: 32)', readShards)
    .action(async ({ shards }: { shards?: number }) => {
      const steps = await distribute(readUrl(), print, shards);
      print(steps === 0 ? nothingToDo : 'The books are distributed.');
    });
  command
    .command('move <tenant>')
    .description('move a tenant to another worker while requests go on, by its id')
    .requiredOption('--to <nodeid>', 'the worker, by its nodeid in pg_dist_node', readNode)
    .option(
      '--alone',
      'give the tenant a shard of its own first, while nobody in its shard can write; else they all move',
      false,
    )
    .action(async (tenantId: string, { to, alone: isAlone }: { to: number; alone: boolean }) => {
      if (!uuid.test(tenantId)) throw new RefusedError('The tenant is named by its id, as "tenant list" has it.');
      const stopping = new AbortController();
      void shutdownRequested().then(() => stopping.abort(new Error('Stopped. The tenant stays where it was.')));
      const isMoved = await moveToWorker(readUrl(), { tenantId, to, isAlone }, print, stopping.signal);
      print(isMoved ? 'The tenant is moved.' : nothingToDo);
    });
}

const nothingToDo = 'There is nothing to do.';
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function readUrl(): string {
  const { databaseUrl, databaseDirectUrl } = readConfig(process.env);
  const url = databaseDirectUrl ?? databaseUrl;
  if (url === null) throw new RefusedError('The embedded database is one server. DATABASE_URL names a Citus cluster.');
  return url;
}

function readNode(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

function readShards(text: string): number {
  const shards = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (shards < 1 || shards > 64_000) throw new InvalidArgumentError('It must be a whole number from 1 to 64000.');
  return shards;
}
