import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { formatTime, isUuid } from '../../../schema/graphql/scalars/scalars.ts';
import { toSchema } from '../../../schema/index.ts';
import type { UnscopedClient } from '../../../prisma/client.ts';
import { parseManifest, type ManifestDocument } from '../../server/graphql/document-manifest.ts';
import {
  deleteDocument,
  listDocuments,
  manifestErrors,
  pushDocuments,
} from '../../server/graphql/trusted-documents.ts';
import { JsonNumber } from '../../../rest-shim/exact-json.ts';
import { maxRegisteredAtOnce } from '../../../schema/graphql/trusted-document-store.ts';
import { buildConnection, isRemote, withConnection, type ApiConnection } from '../remote/connection.ts';
import { askGraphql } from '../remote/graphql.ts';
import { RefusedError } from '../../identity/index.ts';
import { print, printJson, printRow } from '../output.ts';
import { asJson, withDatabase, type Json } from '../database.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';

interface Options extends Json {
  tenant?: string;
}

/** @throws RefusedError if there is no such tenant */
async function findOwner(client: UnscopedClient, { tenant }: Options): Promise<string | null> {
  if (tenant === undefined) return null;
  const found = isUuid(tenant) && (await client.tenant.findUnique({ where: { id: tenant, closedAt: null } }));
  if (!found) throw new RefusedError(`Unknown tenant "${tenant}"`);
  return found.id;
}

const withOwner = (command: Command): Command =>
  asJson(command).option('--tenant <id>', 'documents of this tenant; default: of the whole installation');

export function addDocumentCommands(program: Command): void {
  const documents = program
    .command('documents')
    .description('trusted documents: GraphQL documents that requests name by their hash');
  const push = documents.command('push').description("register the documents of a front end's build");
  withConnection(withOwner(push))
    .argument('<file>', 'a manifest: {"<hash>": "<document>"}, or as Apollo writes it')
    .action(async (file: string, { json, ...options }: Options) => {
      const manifest = parseManifest(await readFile(file, 'utf8').catch(unreadable(file)));
      if (isRemote(push, options.tenant === undefined ? process.env : {})) {
        if (options.tenant !== undefined)
          throw new RefusedError("A token's documents are of its own tenant: leave --tenant out");
        return report(manifest.length, await pushRemotely(buildConnection(push), manifest), json);
      }
      const errors = manifestErrors(toSchema(), manifest);
      if (errors.length > 0)
        throw new CommandFailure(exitCodes.refused, 'Nothing is registered: documents are not valid.', errors);
      const created = await withDatabase(async ({ client }) =>
        pushDocuments(client, await findOwner(client, options), manifest),
      );
      report(manifest.length, created, json);
    });
  withOwner(documents.command('list').description('list trusted documents, newest first')).action(
    async ({ json, ...options }: Options) => {
      const list = await withDatabase(async ({ client }) => listDocuments(client, await findOwner(client, options)));
      if (json) return printJson(list);
      for (const { hash, name, createdAt } of list) printRow(hash, formatTime(createdAt), name);
    },
  );
  withOwner(documents.command('delete').description('delete a trusted document; processes forget it within a minute'))
    .argument('<hash>')
    .action(async (hash: string, { json, ...options }: Options) => {
      const isDeleted = await withDatabase(async ({ client }) =>
        deleteDocument(client, await findOwner(client, options), hash),
      );
      if (!isDeleted) throw new RefusedError(`Unknown document "${hash}"`);
      if (json) printJson({ hash, deleted: true });
      else print(`Document ${hash} is deleted.`);
    });
}

function report(documents: number, created: number, json: true | undefined): void {
  if (json) printJson({ documents, created });
  else print(`${documents} documents are registered, ${created} of them newly.`);
}

const number = z.instanceof(JsonNumber).transform(({ source }) => Number(source));

/** Registers documents by a token, in requests that are short enough. @returns how many are new */
async function pushRemotely(connection: ApiConnection, manifest: readonly ManifestDocument[]): Promise<number> {
  const result = z.object({ registerDocuments: z.object({ created: number }) });
  const mutation = `mutation ($documents: [TrustedDocumentInput!]!) {
    registerDocuments(documents: $documents) { created }
  }`;
  let created = 0;
  for (const documents of divide(manifest)) {
    const { registerDocuments } = await askGraphql(connection, result, mutation, { documents });
    created += registerDocuments.created;
  }
  return created;
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

const unreadable =
  (file: string) =>
  (error: unknown): never => {
    throw new RefusedError(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  };
