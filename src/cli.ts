import tab from '@bomb.sh/tab/commander';
import { Command, CommanderError, Option } from 'commander';
import { CommandFailure, exitCodes } from './commands/exit-codes.ts';
import { withConnection } from './commands/remote/connection.ts';
import type { MigrateOptions } from './commands/migrate.ts';
import { printError } from './commands/output.ts';
import { reportFailureToPrimary } from './processes/ipc.ts';
import { version } from '../schema/version.ts';

const program = withConnection(
  new Command('kontor')
    .version(version, '--version', 'print the version')
    .description('Invoicing and bookkeeping for many tenants: REST v1, GraphQL, signed webhooks')
    .showHelpAfterError('(see --help)')
    .enablePositionalOptions() // `webhook create` has another --url
    .exitOverride(),
);

const ofService = 'The service and its database:';
program.commandsGroup(ofService);
program
  .command('start')
  .description('run everything: database, migrations, HTTP, and worker')
  .action(async () => (await service()).runService({ serve: true, work: true, prepare: true }));
program
  .command('serve')
  .description('run only HTTP')
  .action(async () => (await service()).runService({ serve: true, work: false, prepare: false }));
program
  .command('work')
  .description('run only the worker; any number of workers can run')
  .action(async () => (await service()).runService({ serve: false, work: true, prepare: false }));
program
  .command('migrate')
  .description('apply the migrations to the database')
  .option('--status', 'print which are applied and pending, and how far backfills are')
  .addOption(
    new Option('--dry-run', 'print the pending statements with the locks that they take, estimated').conflicts(
      'status',
    ),
  )
  .option('--json', 'print one JSON value and nothing else')
  .action(async (options: MigrateOptions) => (await import('./commands/migrate.ts')).migrateDatabase(options));

const service = () => import('./commands/service.ts');
const administration = () => import('./commands/administration.ts');

/** Adds further commands, which have these names. They are loaded only when needed: most of them load the whole domain. */
const furtherCommands: [names: string[], add: () => Promise<void>][] = [
  [['distribute'], async () => (await import('./commands/distribute.ts')).addDistributeCommand(program)],
  [['doctor'], async () => (await import('./commands/doctor/command.ts')).addDoctorCommand(program)],
  [['tenant'], async () => (await administration()).addTenantCommands(program)],
  [['user'], async () => (await import('./commands/users.ts')).addUserCommands(program)],
  [['token'], async () => (await administration()).addTokenCommands(program)],
  [['company'], async () => (await import('./commands/company.ts')).addCompanyCommands(program)],
  [['documents'], async () => (await import('./commands/documents.ts')).addDocumentCommands(program)],
  [['webhook'], async () => (await import('./commands/webhooks.ts')).addWebhookCommands(program)],
  [['bank'], async () => (await import('./commands/bank.ts')).addBankCommands(program)],
  [['verify'], async () => (await import('./commands/verify.ts')).addVerifyCommand(program)],
  [['export', 'import'], async () => (await import('./commands/books.ts')).addBooksCommands(program)],
  [['person'], async () => (await import('./commands/person.ts')).addPersonCommands(program)],
  [['secret'], async () => (await import('./commands/secret.ts')).addSecretCommands(program)],
  [['backup', 'restore'], async () => (await import('./commands/backup.ts')).addBackupCommands(program)],
];
/** Those that reach a remote installation, beside the commands of its REST API. */
const remoteCommands: typeof furtherCommands = [
  [['bulk'], async () => (await import('./commands/bulk/bulk.ts')).addBulkCommand(program)],
  [['listen'], async () => (await import('./commands/listen.ts')).addListenCommand(program)],
  [['logs'], async () => (await import('./commands/logs.ts')).addLogsCommand(program)],
  [['trigger'], async () => (await import('./commands/trigger.ts')).addTriggerCommand(program)],
];
const has = (name: string): boolean => program.commands.some((command) => command.name() === name);

async function addRemoteCommands(): Promise<void> {
  program.commandsGroup('A remote installation, by --url and --token:');
  (await import('./commands/remote/commands.ts')).addRemoteCommands(program);
}

/** The command that is run or completed; undefined if it is none, or isn't complete itself. */
function askedCommand(): string | undefined {
  const { operands, unknown } = program.parseOptions(process.argv.slice(2));
  const [first, second, ...more] = [...operands, ...unknown].filter((word) => word !== '--');
  return first === 'complete' ? (more.length > 0 ? second : undefined) : first;
}

async function loadCommands(): Promise<void> {
  const asked = askedCommand() ?? '';
  if (has(asked)) return;
  const further = [...furtherCommands, ...remoteCommands].find(([names]) => names.includes(asked));
  if (further) return await further[1]();
  await addRemoteCommands();
  if (has(asked)) return;
  // For help, completion, and what is no command: all of them.
  for (const [, add] of remoteCommands) await add();
  program.commandsGroup(ofService);
  for (const [, add] of furtherCommands) await add();
}

try {
  await loadCommands();
  program.commandsGroup('This command line:');
  tab(program, { completionCommandName: 'completion' });
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Prints why a command failed. @returns its exit code */
function report(error: unknown): number {
  // commander has printed its message already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof CommandFailure) {
    for (const line of error.lines) printError(`kontor: ${line}`);
    return error.exitCode;
  }
  // One line for the user; the other lines are for developers.
  const [line] = (error instanceof Error ? error.message : String(error)).split('\n');
  if (!reportFailureToPrimary(line || String(error))) printError(`kontor: ${line || String(error)}`);
  if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error) printError(error.stack ?? '');
  return exitCodes.failed;
}
