import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { JsonNumber } from '../../../rest-shim/exact-json.ts';
import { maxRegisteredAtOnce } from '../../../schema/graphql/trusted-document-store.ts';
import { RefusedError } from '../../identity/refused.ts';
import { parseManifest, type ManifestDocument } from '../../server/graphql/document-manifest.ts';
import { CommandFailure } from '../exit-codes.ts';
import { asJson, type Json } from '../json-option.ts';
import { print, printJson, printRow } from '../output.ts';
import { buildConnection, withConnection, type ApiConnection } from './connection.ts';
import { askGraphql } from './graphql.ts';

// Trusted documents by a token: those of its tenant.

export const pushCommand = (documents: Command): Command =>
  withOptions(documents.command('push').description("register the documents of a front end's build")).argument(
    '<file>',
    'a manifest: {"<hash>": "<document>"}, or as Apollo writes it',
  );
export const listCommand = (documents: Command): Command =>
  withOptions(documents.command('list').description('list trusted documents, newest first'));
export const deleteCommand = (documents: Command): Command =>
  withOptions(
    documents.command('delete').description('delete a trusted document; processes forget it within a minute'),
  ).argument('<hash>');

const withOptions = (command: Command): Command => withConnection(asJson(command));

/** The command of the package: by a token only. */
export function addRemoteDocumentCommands(program: Command): void {
  const documents = program.command('documents').description(documentsMeaning);
  const push = pushCommand(documents);
  push.action(async (file: string, { json }: Json) => {
    const connection = buildConnection(push);
    await pushRemotely(connection, await readManifest(file), json);
  });
  const list = listCommand(documents);
  list.action(async ({ json }: Json) => listRemotely(buildConnection(list), json));
  const remove = deleteCommand(documents);
  remove.action(async (hash: string, { json }: Json) => deleteRemotely(buildConnection(remove), hash, json));
}

export const documentsMeaning = 'trusted documents: GraphQL documents that requests name by their hash';

/** @throws RefusedError if it can't be read, or is no manifest */
export const readManifest = async (file: string): Promise<ManifestDocument[]> =>
  parseManifest(
    await readFile(file, 'utf8').catch((error: unknown) => {
      throw new RefusedError(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`);
    }),
  );

export function reportPushed(documents: number, created: number, json: true | undefined): void {
  if (json) printJson({ documents, created });
  else print(`${documents} documents are registered, ${created} of them newly.`);
}

export function reportDeleted(hash: string, json: true | undefined): void {
  if (json) printJson({ hash, deleted: true });
  else print(`Document ${hash} is deleted.`);
}

const number = z.instanceof(JsonNumber).transform(({ source }) => Number(source));

/** Registers documents in requests that are short enough. */
export async function pushRemotely(
  connection: ApiConnection,
  manifest: readonly ManifestDocument[],
  json: true | undefined,
): Promise<void> {
  const result = z.object({ registerDocuments: z.object({ created: number }) });
  const mutation = `mutation ($documents: [TrustedDocumentInput!]!) {
    registerDocuments(documents: $documents) { created }
  }`;
  let created = 0;
  let registered = 0;
  for (const documents of divide(manifest)) {
    const { registerDocuments } = await askGraphql(connection, result, mutation, { documents }, (place) =>
      findHash(place, documents),
    ).catch((error: unknown) => {
      if (!(error instanceof CommandFailure) || registered === 0) throw error;
      error.lines.push(`${registered} of ${manifest.length} documents are registered: those before.`);
      throw error;
    });
    created += registerDocuments.created;
    registered += documents.length;
  }
  reportPushed(manifest.length, created, json);
}

/** The service counts the documents of a request, which are a part of the manifest. */
const findHash = (place: string, documents: readonly ManifestDocument[]): string =>
  documents[Number(/^documents\.(\d+)\./.exec(place)?.[1])]?.hash ?? place;

const listed = z.object({ documents: z.array(z.object({ hash: z.string(), createdAt: z.string() })) });

export async function listRemotely(connection: ApiConnection, json: true | undefined): Promise<void> {
  const { documents } = await askGraphql(connection, listed, '{ documents: trustedDocuments { hash createdAt } }');
  if (json) return printJson(documents);
  for (const { hash, createdAt } of documents) printRow(hash, createdAt);
}

export async function deleteRemotely(connection: ApiConnection, hash: string, json: true | undefined): Promise<void> {
  const mutation = 'mutation ($hash: String!) { deleteDocument(hash: $hash) { hash } }';
  await askGraphql(connection, z.object({}), mutation, { hash });
  reportDeleted(hash, json);
}

/** The most characters of a request: escaped as JSON and in UTF-8, they are within a body's limit unless they are very odd. */
const charactersAtOnce = 300_000;

function divide(manifest: readonly ManifestDocument[]): ManifestDocument[][] {
  const parts: ManifestDocument[][] = [];
  let characters = Infinity;
  for (const document of manifest) {
    const last = parts.at(-1);
    characters += document.text.length;
    if (last && last.length < maxRegisteredAtOnce && characters <= charactersAtOnce) last.push(document);
    else {
      parts.push([document]);
      characters = document.text.length;
    }
  }
  return parts;
}
