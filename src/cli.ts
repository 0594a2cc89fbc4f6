import { Command } from 'commander';
import { addTenantCommands, addTokenCommands } from './commands/administration.ts';
import { addUserCommands } from './commands/users.ts';
import { addWebhookCommands } from './commands/webhooks.ts';
import { addBackupCommands } from './commands/backup.ts';
import { addBankCommands } from './commands/bank.ts';
import { runService } from './commands/service.ts';
import { readConfig } from './config.ts';
import { openDatabase } from './database.ts';
import { reportFailureToPrimary } from './processes/ipc.ts';
import { print, printError } from './output.ts';

const program = new Command('kontor')
  .description('Invoicing and bookkeeping for many tenants: REST v1, GraphQL, signed webhooks')
  .showHelpAfterError('(see --help)');

program
  .command('start')
  .description('run everything: database, migrations, HTTP, and worker')
  .action(() => runService({ serve: true, work: true, prepare: true }));
program
  .command('serve')
  .description('run only HTTP')
  .action(() => runService({ serve: true, work: false, prepare: false }));
program
  .command('work')
  .description('run only the worker; any number of workers can run')
  .action(() => runService({ serve: false, work: true, prepare: false }));
program
  .command('migrate')
  .description('apply the migrations to the database')
  .action(async () => {
    const database = await openDatabase(readConfig(process.env), { report: printError, migrating: true });
    await database.close();
    print('The database is up to date.');
  });
addTenantCommands(program);
addUserCommands(program);
addTokenCommands(program);
addWebhookCommands(program);
addBankCommands(program);
addBackupCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  // One line for the user; the other lines are for developers.
  const [line] = (error instanceof Error ? error.message : String(error)).split('\n');
  if (!reportFailureToPrimary(line || String(error))) printError(`kontor: ${line || String(error)}`);
  if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error) printError(error.stack ?? '');
  process.exitCode = 1;
}
