import { InvalidArgumentError, type Command } from 'commander';
import { distribute } from '../../prisma/migrate.ts';
import { readConfig } from '../config/config.ts';
import { RefusedError } from '../identity/index.ts';
import { print } from './output.ts';

export function addDistributeCommand(program: Command): void {
  program
    .command('distribute')
    .description('distribute the books over the workers of a Citus cluster')
    .option('--shards <number>', 'into how many parts each table is split, in the first run (default: 32)', readShards)
    .action(async ({ shards }: { shards?: number }) => {
      const { databaseUrl, databaseDirectUrl } = readConfig(process.env);
      const url = databaseDirectUrl ?? databaseUrl;
      if (url === null)
        throw new RefusedError('The embedded database is one server. DATABASE_URL names a Citus cluster.');
      const steps = await distribute(url, print, shards);
      print(steps === 0 ? 'There is nothing to do.' : 'The books are distributed.');
    });
}

function readShards(text: string): number {
  const shards = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (shards < 1 || shards > 64_000) throw new InvalidArgumentError('It must be a whole number from 1 to 64000.');
  return shards;
}
