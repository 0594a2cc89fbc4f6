import { open, stat, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Argument, Option, type Command } from 'commander';
import { z } from 'zod';
import { actions, resources } from './choices.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { print, printError, write } from '../output.ts';
import { startBar } from '../progress.ts';
import { buildConnection, withConnection, type ApiConnection } from '../remote/connection.ts';
import { waitForEnd } from '../remote/wait-for-end.ts';
import { readOperation, type Operation } from './operation.ts';
import { readResults, type Result } from './results.ts';
import { openSource } from './source.ts';
import { upload } from './upload.ts';

// `bulk` sends a file of JSON Lines as one bulk operation, waits for its end, and shows what became of each line.

interface Options {
  results?: string;
  failed?: true;
  idempotencyKey?: string;
  json?: true;
}

/** How many failed lines are printed for people. */
const shownFailures = 20;

export function addBulkCommand(program: Command): void {
  const command = withConnection(
    program
      .command('bulk')
      .description('create, change, or delete resources by a file of JSON Lines')
      .addArgument(new Argument('<resource>', 'what the lines are').choices(resources))
      .addArgument(new Argument('<action>', 'what is done with each').choices(actions))
      .argument('<file>', 'a JSON object on each line, as the single request takes it; or - for standard input')
      .option('--results <file>', 'write a JSON object for each line to this file')
      .option('--failed', 'only results of lines that failed')
      .option('--idempotency-key <key>', 'with the same key, the operation is done once, in however many runs')
      .addOption(new Option('--json', 'print results as JSON Lines, also on a terminal').conflicts('results')),
  );
  command.action(async (resource: string, action: string, file: string) => {
    const connection = buildConnection(command);
    const options: Options = command.opts();
    await using results = options.results === undefined ? undefined : await openResults(options.results, file);
    await using source = await openSource(file);
    const started = await upload(connection, { resource, action, source, key: options.idempotencyKey });
    printError(`Bulk operation ${started.id}: ${started.lines} lines.`);
    const operation = await show(started, (report) =>
      waitForEnd(connection, `/api/v1/bulk-operations/${started.id}`, readOperation, report),
    );
    await writeResults(connection, operation, results, options);
    printError(summary(operation));
    if (operation.status !== 'completed')
      throw new CommandFailure(exitCodes.failed, operation.error ?? `The operation is ${operation.status}.`);
    if (operation.failed_lines > 0) process.exitCode = exitCodes.refused;
  });
}

async function show(
  { lines }: Operation,
  work: (report: (operation: Operation) => void) => Promise<Operation>,
): Promise<Operation> {
  const bar = startBar('{bar} {value} of {total} lines', lines);
  try {
    return await work(({ processed_lines: processed }) => bar.update(processed));
  } finally {
    bar.stop();
  }
}

const summary = ({ status, succeeded_lines: succeeded, failed_lines: failed, lines }: Operation): string =>
  `${status}: ${succeeded} of ${lines} lines succeeded, ${failed} failed.`;

/**
 * Before anything is sent: who can't have the results should not have to send the lines again. What the file has stays until
 * there are results.
 * @param sent the file of the lines, which is not to be overwritten
 * @throws CommandFailure
 */
async function openResults(file: string, sent: string): Promise<FileHandle> {
  const handle = await open(file, 'a').catch((error: Error) => {
    throw new CommandFailure(exitCodes.failed, `The results can't be written: ${error.message}.`);
  });
  const [{ dev, ino }, lines] = await Promise.all([handle.stat(), stat(sent).catch(() => undefined)]);
  if (lines?.dev !== dev || lines.ino !== ino) return handle;
  await handle.close();
  throw new CommandFailure(exitCodes.usage, '--results must be another file than the one that is sent.');
}

/** To the file, or to standard output if a program reads it; a terminal shows the first lines that failed. */
async function writeResults(
  connection: ApiConnection,
  { id, failed_lines: failures }: Operation,
  file: FileHandle | undefined,
  { failed, json }: Options,
): Promise<void> {
  if (!file && !json && process.stdout.isTTY) return await printFailures(connection, id, failures);
  const rows = readResults(connection, id, failed === true);
  if (file) {
    if ((await file.stat()).isFile()) await file.truncate();
    return await pipeline(Readable.from(toLines(rows)), file.createWriteStream());
  }
  for await (const { text } of rows) write(`${text}\n`);
}

async function* toLines(rows: AsyncIterable<Result>): AsyncGenerator<string> {
  for await (const { text } of rows) yield `${text}\n`;
}

const failure = z.object({
  line: z.number(),
  message: z.string().default(''),
  errors: z.record(z.string(), z.array(z.string())).default({}),
});

async function printFailures(connection: ApiConnection, id: string, count: number): Promise<void> {
  if (count === 0) return;
  let shown = 0;
  for await (const result of readResults(connection, id, true)) {
    print(formatFailure(result));
    shown += 1;
    if (shown === shownFailures) break;
  }
  if (count > shown) printError(`${count - shown} more lines failed: --results FILE has all of them.`);
}

function formatFailure({ value }: Result): string {
  const { line, message, errors } = failure.parse(value);
  const fields = Object.entries(errors).map(([field, texts]) => `${field}: ${texts.join(' ')}`);
  return `line ${line}: ${fields.length > 0 ? fields.join(' ') : message}`;
}
