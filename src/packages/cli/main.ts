import './older-node.ts'; // before all that needs it
import tab from '@bomb.sh/tab/commander';
import { addRemoteCommands } from '../../commands/remote/commands.ts';
import { printError } from '../../commands/output.ts';
import { askedCommand, has, newProgram, report, type LateCommands } from '../../commands/program.ts';
import { groupTitle, remoteCommands } from '../../commands/remote/remote-commands.ts';

// The command line of the package @kontor/cli: it reaches an installation by HTTP, and has no server in it.

const program = newProgram('The command line of a Kontor installation').commandsGroup(groupTitle);
const late: LateCommands[] = [
  ...remoteCommands(program),
  [['documents'], async () => (await import('../../commands/remote/documents.ts')).addRemoteDocumentCommands(program)],
  [['doctor'], async () => (await import('./doctor.ts')).addDoctorCommand(program)],
];

async function loadCommands(): Promise<void> {
  const asked = askedCommand(program) ?? '';
  const found = late.find(([names]) => names.includes(asked));
  if (found) return await found[1]();
  addRemoteCommands(program);
  if (has(program, asked)) return;
  for (const [, add] of late) await add();
}

try {
  await loadCommands();
  program.commandsGroup('This command line:');
  tab(program, { completionCommandName: 'completion' });
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error, (line) => printError(`kontor: ${line}`));
}
