import type { Pool } from 'pg';
import type { Config } from '../../config/config.ts';
import { findMissing, readSecretState } from '../../security/secret-check.ts';
import { readSecretFile } from '../../security/secret-file.ts';
import { fail, ok, type Finding } from './finding.ts';

/** Whether the secrets are those that the database was used with. Writes nothing. */
export async function checkSecret(pool: Pool, { secret, previousSecret, dataDir }: Config): Promise<Finding[]> {
  const state = await readSecretState(pool);
  if (state === undefined) return [ok('secret', 'The database was not used with one yet')];
  const own = secret ?? (await readSecretFile(dataDir));
  if (own === undefined)
    return [fail('secret', `There is no file ${dataDir}/secret`, 'Put the file back, or set KONTOR_SECRET')];
  const missing = findMissing(
    state,
    [own, previousSecret].filter((each) => each !== null),
  );
  if (missing === undefined) return [ok('secret', 'KONTOR_SECRET is the one that this database was used with')];
  return missing === 'present'
    ? [fail('secret', 'KONTOR_SECRET is not the one that this database was used with', 'Set the former one')]
    : [fail('secret', 'A rotation of KONTOR_SECRET is under way', 'Set KONTOR_SECRET_PREVIOUS to the former one')];
}
