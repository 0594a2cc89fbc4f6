import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { z } from 'zod';
import { parseJson, stringifyJson } from '../../../rest-shim/exact-json.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { print } from '../output.ts';
import { buildConnection, send, withConnection } from './connection.ts';
import { readAnswer } from './graphql.ts';

interface Options {
  file?: string;
  variables?: string;
  operation?: string;
}

/** `graphql` runs a query or a mutation, and prints its data as JSON. */
export function addGraphqlCommand(program: Command): void {
  const command = withConnection(
    program
      .command('graphql')
      .description('run a query or a mutation of GraphQL, and print its data as JSON')
      .argument('[document]', 'the document, or - for standard input')
      .option('--file <file>', 'read the document from a file')
      .option('--variables <json>', 'variables as a JSON object')
      .option('--operation <name>', 'which one to run, if the document has several'),
  );
  command.action(async (document: string | undefined, { file, variables, operation }: Options) => {
    const connection = buildConnection(command);
    const body = stringifyJson({
      query: await readDocument(document, file),
      ...(variables !== undefined && { variables: parseVariables(variables) }),
      ...(operation !== undefined && { operationName: operation }),
    });
    const response = await send(connection, { method: 'POST', path: '/graphql', body });
    const { data, failure } = readAnswer(connection, response);
    if (data) print(stringifyJson(data));
    if (failure) throw failure;
  });
}

async function readDocument(document: string | undefined, file: string | undefined): Promise<string> {
  if ((document === undefined) === (file === undefined))
    throw new CommandFailure(exitCodes.usage, 'Give a document or --file, and not both.');
  if (document === '-') return text(process.stdin);
  if (file === undefined) return document ?? '';
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new CommandFailure(exitCodes.usage, `--file can't be read: ${error.message}`);
  });
}

function parseVariables(json: string): unknown {
  try {
    return z.record(z.string(), z.unknown()).parse(parseJson(json));
  } catch {
    throw new CommandFailure(exitCodes.usage, '--variables must be a JSON object.');
  }
}
