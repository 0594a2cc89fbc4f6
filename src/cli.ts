import { printError } from './commands/output.ts';
import { askedCommand, has, newProgram, report, type LateCommands } from './commands/program.ts';
import { groupTitle, remoteCommands } from './commands/remote/remote-commands.ts';
import type { Roles } from './commands/service/service.ts';
import { reportFailureToPrimary } from './processes/ipc.ts';

const program = newProgram('Invoicing and bookkeeping for many tenants: REST v1, GraphQL, signed webhooks');

const ofService = 'The service and its database:';
program.commandsGroup(ofService);
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

/** A setting that is wrong is reported before the whole service is loaded. */
async function runService(roles: Roles): Promise<never> {
  const { readConfig } = await import('./config/config.ts');
  const config = readConfig(process.env);
  const service = await import('./commands/service/service.ts');
  return service.runService(config, roles);
}

const administration = () => import('./commands/tenants/administration.ts');

/** Adds further commands, which have these names. They are loaded only when needed: most of them load the whole domain. */
const furtherCommands: LateCommands[] = [
  // Late also because completion takes the first --status that it finds, and that of `list` has values.
  [['migrate'], async () => (await import('./commands/installation/migrate.ts')).addMigrateCommand(program)],
  [['distribute'], async () => (await import('./commands/installation/distribute.ts')).addDistributeCommand(program)],
  [['doctor'], async () => (await import('./commands/doctor/command.ts')).addDoctorCommand(program)],
  [['tenant'], async () => (await administration()).addTenantCommands(program)],
  [['user'], async () => (await import('./commands/tenants/users.ts')).addUserCommands(program)],
  [['token'], async () => (await administration()).addTokenCommands(program)],
  [['company'], async () => (await import('./commands/tenants/company.ts')).addCompanyCommands(program)],
  [['documents'], async () => (await import('./commands/books/documents.ts')).addDocumentCommands(program)],
  [['webhook'], async () => (await import('./commands/webhooks/webhooks.ts')).addWebhookCommands(program)],
  [['bank'], async () => (await import('./commands/books/bank.ts')).addBankCommands(program)],
  [['verify'], async () => (await import('./commands/books/verify.ts')).addVerifyCommand(program)],
  [['export', 'import'], async () => (await import('./commands/books/books.ts')).addBooksCommands(program)],
  [['person'], async () => (await import('./commands/tenants/person.ts')).addPersonCommands(program)],
  [['secret'], async () => (await import('./commands/installation/secret.ts')).addSecretCommands(program)],
  [['backup', 'restore'], async () => (await import('./commands/installation/backup.ts')).addBackupCommands(program)],
];
const ofRemote = remoteCommands(program);

async function addRemoteCommands(): Promise<void> {
  program.commandsGroup(groupTitle);
  (await import('./commands/remote/commands.ts')).addRemoteCommands(program);
}

async function addCompletion(): Promise<void> {
  const { default: tab } = await import('@bomb.sh/tab/commander');
  program.commandsGroup('This command line:');
  tab(program, { completionCommandName: 'completion' });
}

async function loadCommands(): Promise<void> {
  const asked = askedCommand(program) ?? '';
  if (has(program, asked)) return;
  const further = [...furtherCommands, ...ofRemote].find(([names]) => names.includes(asked));
  if (further) return await further[1]();
  await addRemoteCommands();
  if (has(program, asked)) return;
  // For help, completion, and what is no command: all of them.
  for (const [, add] of ofRemote) await add();
  program.commandsGroup(ofService);
  for (const [, add] of furtherCommands) await add();
}

try {
  await loadCommands();
  // A command that is found needs no completion, which takes time to load.
  if (!has(program, process.argv[2] ?? '')) await addCompletion();
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error, (line) => {
    if (!reportFailureToPrimary(line)) printError(`kontor: ${line}`);
  });
}
