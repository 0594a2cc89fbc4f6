import { InvalidArgumentError, Option, type Command } from 'commander';
import { z } from 'zod';
import { stringifyJson } from '../../../rest-shim/exact-json.ts';
import { defaultPageSize, maxPageSize } from '../../../schema/graphql/paging/page-sizes.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { asJson } from '../json-option.ts';
import { print, printError, whenOutputCloses, write } from '../output.ts';
import { getColumns } from './columns.ts';
import {
  buildConnection,
  buildFailure,
  send,
  withConnection,
  type ApiRequest,
  type ApiResponse,
} from './connection.ts';
import { readOperations, type Flag, type RemoteOperation } from './operations.ts';
import { buildRequest } from './request.ts';
import { requireWritable, saveExport, saveFile } from './save-export.ts';
import { formatItem, formatTable } from './table.ts';

const meanings: Record<string, string> = {
  list: 'list resources of a remote installation',
  get: 'show one resource',
  create: 'create a resource',
  update: 'change a resource',
  delete: 'delete a resource',
  invoice: 'save the files of an invoice',
  'credit-note': 'save the files of a credit note',
  receipt: 'save the files of a receipt',
  add: 'add a file to a resource',
  download: 'save the file of an export',
};

/** Adds a command for each operation of the REST API: `list invoices`, `get customers ID`. */
export function addRemoteCommands(program: Command, operations = readOperations()): void {
  const verbs = new Map<string, Command>();
  for (const operation of operations) {
    const { verb } = operation;
    const parent = verbs.get(verb) ?? program.command(verb).description(meanings[verb] ?? `${verb} a resource`);
    verbs.set(verb, parent);
    addOperation(parent, operation);
  }
}

interface Options {
  json?: true;
  data?: string;
  clear?: string[];
  limit?: number;
  all?: true;
  columns?: string[];
  out?: string;
  file?: string;
}

function addOperation(parent: Command, operation: RemoteOperation): void {
  const command = parent.command(operation.noun).description(operation.summary);
  for (const name of operation.pathParameters) command.argument(`<${name}>`);
  const options = operation.flags.map((flag) => ({ flag, option: buildOption(flag) }));
  for (const { option } of options) command.addOption(option);
  if (operation.hasBody) {
    command.option(
      '--data <json>',
      'the body as JSON, or - for standard input; fields that are given as options come on top',
    );
    if (operation.method === 'PATCH') command.option('--clear <field...>', 'fields to set to null');
  }
  if (operation.takesFile) command.requiredOption('--file <file>', 'the file; its name is the default of --filename');
  if (operation.result === 'list') {
    command
      .addOption(new Option('--limit <number>', 'rows to list').argParser(wholeNumber).default(defaultPageSize))
      .addOption(new Option('--all', 'list all rows').conflicts('limit'))
      .option('--columns <list>', 'columns to show, comma-separated; with --json the fields of each object', (text) =>
        readColumns(operation, text),
      );
  }
  if (operation.result === 'file') command.option('--out <file>', 'the file to write; else standard output');
  else if (startsExport(operation)) command.option('--out <file>', 'wait for its end, and save its file');
  if (operation.result !== 'file') asJson(command);
  withConnection(command);
  command.action(async () => {
    whenOutputCloses(() => process.exit(exitCodes.done));
    const connection = buildConnection(command);
    const given: Options = command.opts();
    const values: Record<string, unknown> = command.opts();
    const flags = options.flatMap(({ flag, option }): [string, string][] => {
      const value = values[option.attributeName()];
      return typeof value === 'string' ? [[flag.name, value]] : [];
    });
    const request = await buildRequest(operation, { path: command.args, flags: new Map(flags), ...given });
    if (values['url'] !== undefined) requireOwnAddress(operation, request);
    if (given.out !== undefined) await requireWritable(given.out);
    const ask = async (path: string): Promise<ApiResponse> => {
      const response = await send(connection, { ...request, path });
      if (response.status < 200 || response.status > 299) throw buildFailure(connection, response, getNames(operation));
      return response;
    };
    if (operation.result === 'file') return await saveFile(connection, request.path, given.out, getNames(operation));
    if (operation.result === 'list') return await printList(operation, given, readPages(ask, request.path, given));
    const { body: answered } = await ask(request.path);
    const body =
      startsExport(operation) && given.out !== undefined ? await saveExport(connection, answered, given.out) : answered;
    printOne(operation, body, command.args, given);
  });
}

/**
 * A webhook has an address, too. `--url` may have been meant as that one, and would send the token there.
 * @throws CommandFailure unless the body has the resource's own address
 */
function requireOwnAddress({ flags, verb, noun }: RemoteOperation, { body }: ApiRequest): void {
  const own = flags.find(({ field, in: place }) => field === 'url' && place === 'body');
  if (!own || typeof body !== 'string' || Object.hasOwn(z.looseObject({}).parse(JSON.parse(body)), own.field)) return;
  throw new CommandFailure(
    exitCodes.usage,
    `--url is the address of the installation. Give it before the command: kontor --url … ${verb} ${noun}. The resource's own is --${own.name}.`,
  );
}

const startsExport = ({ method, path }: RemoteOperation): boolean => method === 'POST' && path === '/exports';

function buildOption({ name, type, choices, description, isRequired }: Flag): Option {
  const [firstSentence = ''] = /^.*?\.(?= |$)|^.*$/s.exec(description.replaceAll('\n', ' ')) ?? [];
  const text = [firstSentence.replaceAll('`', '').replace(/\.$/, ''), isRequired && '(required)']
    .filter(Boolean)
    .join(' ');
  const option = new Option(`--${name} <${type === 'text' ? 'text' : type}>`, text);
  return choices ? option.choices(choices) : option;
}

function readColumns({ fields }: RemoteOperation, text: string): string[] {
  const columns = text.split(',').map((each) => each.trim());
  const unknown = columns.find((column) => !fields.has(column));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`There is no column "${unknown}". There are: ${[...fields.keys()].join(', ')}.`);
  return columns;
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(text);
}

/** The service's name of a field → how the user gave it: `items.0.quantity` → `--items 0.quantity`. */
const getNames =
  ({ flags }: RemoteOperation) =>
  (path: string): string => {
    const [field = '', ...rest] = path.split('.');
    const flag = flags.find((each) => each.field === field);
    return flag ? [`--${flag.name}`, rest.join('.')].filter(Boolean).join(' ') : path;
  };

const page = z.object({
  data: z.array(z.record(z.string(), z.unknown())),
  links: z.object({ next: z.string().nullable() }).optional(),
  meta: z.object({ total: z.object({ source: z.string() }).optional() }).optional(),
});
type JsonObject = Record<string, unknown>;
interface Page {
  rows: JsonObject[];
  /** The number of rows of the whole list; undefined where the service doesn't say it. */
  total: string | undefined;
  isLast: boolean;
}

/** The pages of a list, as far as the user asked for rows. */
async function* readPages(
  ask: (path: string) => Promise<ApiResponse>,
  start: string,
  { limit = defaultPageSize, all }: Options,
): AsyncGenerator<Page> {
  let left = all ? Infinity : limit;
  const { pathname, searchParams } = new URL(start, 'http://localhost');
  searchParams.set('per_page', String(Math.min(left, maxPageSize)));
  for (let path = `${pathname}?${searchParams}`; left > 0;) {
    const { body } = await ask(path);
    const { data, links, meta } = pageIn(body);
    const rows = data.slice(0, left);
    left -= rows.length;
    const next = links?.next;
    yield { rows, total: meta?.total?.source, isLast: !next && rows.length === data.length };
    if (!next) return;
    // Only the query: behind a proxy or a tunnel, the link can have another address than the user's.
    path = `${pathname}${new URL(next, 'http://localhost').search}`;
  }
}

function pageIn(body: unknown): z.infer<typeof page> {
  const { data, error } = page.safeParse(body);
  if (error) throw new CommandFailure(exitCodes.failed, 'The service answered something that is no list.');
  return data;
}

/** Prints a JSON array page by page, or one table. */
async function printList(
  operation: RemoteOperation,
  { json, columns }: Options,
  pages: AsyncIterable<Page>,
): Promise<void> {
  const rows: JsonObject[] = [];
  const limited = (row: JsonObject): JsonObject =>
    columns
      ? Object.fromEntries(columns.filter((name) => Object.hasOwn(row, name)).map((name) => [name, row[name]]))
      : row;
  let last: Page | undefined;
  let printed = 0;
  try {
    for await (const each of pages) {
      last = each;
      if (!json) rows.push(...each.rows);
      else for (const row of each.rows) write(`${printed++ === 0 ? '[' : ',\n'}${stringifyJson(limited(row))}`);
    }
  } catch (error) {
    // The array stays open: whatever reads it behind a pipe, which hides the exit code, would take it for the whole list.
    if (printed > 0) {
      print('');
      printError(`The list broke off after ${printed} rows: the output is no complete JSON.`);
    }
    throw error;
  }
  if (json) return print(printed === 0 ? '[]' : ']');
  if (rows.length === 0) return printError('There are no rows.');
  const width = columns ? Infinity : terminalWidth();
  print(formatTable(rows, { columns: columns ?? getColumns(operation), fields: operation.fields, width }));
  if (last && !last.isLast)
    printError(`${rows.length} of ${last.total ?? 'more'} rows. --all lists all, --limit more.`);
}

const terminalWidth = (): number => process.stdout.columns ?? Infinity;

const itemBody = z.looseObject({
  data: z.unknown(),
  warnings: z.array(z.object({ field: z.string(), message: z.string() })).default([]),
});

const resultsBody = z.object({
  results: z.array(
    z.looseObject({
      status: z.object({ source: z.string() }),
      message: z.string().default(''),
      data: z.object({ id: z.string() }).optional(),
    }),
  ),
});

/** @throws CommandFailure where another program answers, such as a proxy with a page for signing in */
function readBody<Body>(shape: z.ZodType<Body>, body: unknown): Body {
  const { data, error } = shape.safeParse(body);
  if (error) throw new CommandFailure(exitCodes.failed, 'The service answered something that is no resource.');
  return data;
}

/** Prints a line for each item of a batch. */
function printResults(body: unknown, json: true | undefined): void {
  if (json) return print(stringifyJson(body));
  const rows = readBody(resultsBody, body).results.map(({ status, message, data }) => ({
    status: status.source,
    id: data?.id ?? '',
    message,
  }));
  print(formatTable(rows, { columns: ['status', 'id', 'message'], fields: new Map(), width: terminalWidth() }));
}

/** Prints `data`; as JSON, with what stands beside it, if there is anything. Warnings go to standard error. */
function printOne(operation: RemoteOperation, body: unknown, [id]: string[], { json }: Options): void {
  if (operation.result === 'none') return print(json ? JSON.stringify({ id, deleted: true }) : `Deleted: ${id}`);
  if (operation.result === 'batch') return printResults(body, json);
  const { data, warnings, ...more } = readBody(itemBody, body);
  for (const { field, message } of warnings) printError(`Warning: ${message} (${field})`);
  if (json) return print(stringifyJson(Object.keys(more).length > 0 ? body : data));
  const rows = z.array(z.record(z.string(), z.unknown())).safeParse(data).data;
  const { fields } = operation;
  const width = terminalWidth();
  print(rows ? formatTable(rows, { columns: getColumns(operation), fields, width }) : formatItem(data, width));
}
