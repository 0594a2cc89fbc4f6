import { listBackups } from '../../backup/backup-folder.ts';
import type { Config } from '../../config/config.ts';
import { fail, ok, warn, type Finding } from './finding.ts';

/** The age of the embedded database's last backup by schedule. */
export async function checkBackups({ backups }: Pick<Config, 'backups'>, now: () => number): Promise<Finding[]> {
  if (backups === null)
    return [warn('backup', 'None is made by schedule', 'Set BACKUP_FOLDER, or run kontor backup every day')];
  const { folder, everyMs } = backups;
  const action = 'Read the log of the worker: "msg":"backup" has the error';
  const [newest] = await listBackups(folder, new Date(now())).catch(() => []);
  if (!newest) return [fail('backup', `${folder} has none`, action)];
  const ageMs = now() - newest.at.getTime();
  const message = `${newest.file} is ${Math.round(ageMs / 3_600_000)} h old`;
  return [ageMs > 2 * everyMs ? fail('backup', message, action) : ok('backup', message)];
}
