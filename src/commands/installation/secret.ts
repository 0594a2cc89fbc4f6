import type { Command } from 'commander';
import { formatTime } from '../../../schema/graphql/scalars/days.ts';
import { readConfig } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import { RefusedError } from '../../identity/index.ts';
import { readRotation, startRotation, type Rotation } from '../../security/rotation.ts';
import { readKeyring } from '../../security/secret-check.ts';
import { withDatabase } from '../database.ts';
import { asJson, type Json } from '../json-option.ts';
import { print, printJson } from '../output.ts';

export function addSecretCommands(program: Command): void {
  const secret = program.command('secret').description('the secret of the installation, KONTOR_SECRET');
  asJson(
    secret
      .command('rotate')
      .description('replace KONTOR_SECRET_PREVIOUS by KONTOR_SECRET, once all processes have both; a worker does it'),
  ).action(async ({ json }: Json) => show(await withDatabase(rotate), json));
  asJson(secret.command('status').description('show how far the last rotation is')).action(async ({ json }: Json) =>
    show(await withDatabase(readStatus), json),
  );
}

async function rotate(database: Database): Promise<Rotation> {
  const { secret, previousSecret } = readConfig(process.env);
  if (secret === null)
    throw new RefusedError(
      'KONTOR_SECRET is not set: set it to a new secret, and KONTOR_SECRET_PREVIOUS to the present one',
    );
  await startRotation(database.pool, { secret, previousSecret });
  return readStatus(database);
}

const readStatus = async (database: Database): Promise<Rotation> =>
  readRotation(database.pool, await readKeyring(readConfig(process.env), database));

function show(rotation: Rotation, json: true | undefined): void {
  if (json) return printJson(rotation);
  const { state, key, tenantsDone, tenants, values, unreadable, finishedAt } = rotation;
  print(`Key ${key} encrypts.`);
  if (state === 'none') return print('There was no rotation.');
  const sum = `${values} values of ${tenantsDone} of ${tenants} tenants are encrypted with it`;
  if (state === 'under_way') print(`A rotation is under way: ${sum}. Keep KONTOR_SECRET_PREVIOUS.`);
  else
    print(
      `The rotation is done since ${finishedAt ? formatTime(finishedAt) : ''}: ${sum}. Unset KONTOR_SECRET_PREVIOUS.`,
    );
  if (unreadable > 0) print(`${unreadable} values could not be decrypted, and stay as they are.`);
}
