import type { Pool } from 'pg';
import type { Config } from '../../config/config.ts';
import { compareSecret, findSample } from '../../security/secret-check.ts';
import { readSecretFile } from '../../security/secret-file.ts';
import { fail, ok, type Finding } from './finding.ts';

/** Whether the secret is the one that the database was used with. Writes nothing. */
export async function checkSecret(pool: Pool, { secret, dataDir }: Config): Promise<Finding[]> {
  const sample = await findSample(pool);
  if (sample === undefined) return [ok('secret', 'The database was not used with one yet')];
  const own = secret ?? (await readSecretFile(dataDir));
  if (own === undefined)
    return [fail('secret', `There is no file ${dataDir}/secret`, 'Put the file back, or set KONTOR_SECRET')];
  return compareSecret(sample, own) === undefined
    ? [ok('secret', 'KONTOR_SECRET is the one that this database was used with')]
    : [fail('secret', 'KONTOR_SECRET is not the one that this database was used with', 'Set the former one')];
}
