import type { Command } from 'commander';
import { formatTime, isUuid } from '../../../schema/graphql/scalars/scalars.ts';
import { toSchema } from '../../../schema/index.ts';
import type { UnscopedClient } from '../../../prisma/client.ts';
import {
  deleteDocument,
  listDocuments,
  manifestErrors,
  pushDocuments,
} from '../../server/graphql/trusted-documents.ts';
import { buildConnection, isRemote, type ApiConnection } from '../remote/connection.ts';
import {
  deleteCommand,
  deleteRemotely,
  documentsMeaning,
  listCommand,
  listRemotely,
  pushCommand,
  pushRemotely,
  readManifest,
  reportDeleted,
  reportPushed,
} from '../remote/documents.ts';
import { RefusedError } from '../../identity/index.ts';
import { printJson, printRow } from '../output.ts';
import { withDatabase } from '../database.ts';
import type { Json } from '../json-option.ts';
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
  command.option('--tenant <id>', 'documents of this tenant; default: of the whole installation');

/** The connection of a command that works by a token, whose documents are its tenant's; else undefined. @throws RefusedError */
function findConnection(command: Command, { tenant }: Options): ApiConnection | undefined {
  if (!isRemote(command, tenant === undefined ? process.env : {})) return undefined;
  if (tenant !== undefined) throw new RefusedError("A token's documents are of its own tenant: leave --tenant out");
  return buildConnection(command);
}

export function addDocumentCommands(program: Command): void {
  const documents = program.command('documents').description(documentsMeaning);
  const push = withOwner(pushCommand(documents));
  push.action(async (file: string, { json, ...options }: Options) => {
    const manifest = await readManifest(file);
    const connection = findConnection(push, options);
    if (connection) return await pushRemotely(connection, manifest, json);
    const errors = manifestErrors(toSchema(), manifest);
    if (errors.length > 0)
      throw new CommandFailure(exitCodes.refused, 'Nothing is registered: documents are not valid.', errors);
    const created = await withDatabase(async ({ client }) =>
      pushDocuments(client, await findOwner(client, options), manifest),
    );
    reportPushed(manifest.length, created, json);
  });
  const list = withOwner(listCommand(documents));
  list.action(async ({ json, ...options }: Options) => {
    const connection = findConnection(list, options);
    if (connection) return await listRemotely(connection, json);
    const found = await withDatabase(async ({ client }) => listDocuments(client, await findOwner(client, options)));
    if (json) return printJson(found);
    for (const { hash, name, createdAt } of found) printRow(hash, formatTime(createdAt), name);
  });
  const remove = withOwner(deleteCommand(documents));
  remove.action(async (hash: string, { json, ...options }: Options) => {
    const connection = findConnection(remove, options);
    if (connection) return await deleteRemotely(connection, hash, json);
    const isDeleted = await withDatabase(async ({ client }) =>
      deleteDocument(client, await findOwner(client, options), hash),
    );
    if (!isDeleted) throw new RefusedError(`Unknown document "${hash}"`);
    reportDeleted(hash, json);
  });
}
