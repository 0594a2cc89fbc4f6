import { Command, CommanderError } from 'commander';
import { version } from '../../schema/version.ts';
import { CommandFailure, exitCodes } from './exit-codes.ts';
import { allowClosedOutput, printError } from './output.ts';
import { withConnection } from './remote/connection.ts';

// Common parts of the command line of the server and that of the package @kontor/cli.

/** Commands of these names are loaded only when needed. */
export type LateCommands = [names: string[], add: () => Promise<void>];

export function newProgram(description: string): Command {
  allowClosedOutput();
  return withConnection(
    new Command('kontor')
      .version(version, '--version', 'print the version')
      .description(description)
      .showHelpAfterError('(see --help)')
      .enablePositionalOptions() // `webhook create` has another --url
      .exitOverride(),
  );
}

export const has = (program: Command, name: string): boolean =>
  program.commands.some((command) => command.name() === name);

/** The command that is run or completed; undefined if it is none, or isn't complete itself. */
export function askedCommand(program: Command): string | undefined {
  const { operands, unknown } = program.parseOptions(process.argv.slice(2));
  const [first, second, ...more] = [...operands, ...unknown].filter((word) => word !== '--');
  return first === 'complete' ? (more.length > 0 ? second : undefined) : first;
}

/** Prints why a command failed. @returns its exit code */
export function report(error: unknown, printReason: (line: string) => void): number {
  // commander has printed its message already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (error instanceof CommandFailure) {
    for (const line of error.lines) printError(`kontor: ${line}`);
    return error.exitCode;
  }
  // One line for the user; the other lines are for developers.
  const [line] = (error instanceof Error ? error.message : String(error)).split('\n');
  printReason(line || String(error));
  if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error) printError(error.stack ?? '');
  return exitCodes.failed;
}
