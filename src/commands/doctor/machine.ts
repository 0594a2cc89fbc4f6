import { access, constants, realpath, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { fail, ok, warn, type Finding } from './finding.ts';

/** Below these, a disk is nearly full: shares of it, and bytes. */
const [scarce, least] = [0.1, 0.02];
const [scarceBytes, leastBytes] = [2 * 2 ** 30, 256 * 2 ** 20];

const gib = (bytes: number): string => (bytes / 2 ** 30).toFixed(1);

/** @param settings those that name the folder */
async function checkDisk(folder: string, settings: string): Promise<Finding> {
  try {
    await access(folder, constants.W_OK);
    const { bavail, blocks, bsize } = await statfs(folder);
    const [free, all] = [bavail * bsize, blocks * bsize];
    const message = `${folder} (${settings}) has ${gib(free)} of ${gib(all)} GiB left`;
    const action = `Enlarge the disk, or let ${settings} name another`;
    if (free < Math.min(all * least, leastBytes)) return fail('disk', message, action);
    return free < Math.min(all * scarce, scarceBytes) ? warn('disk', message, action) : ok('disk', message);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return fail(
      'disk',
      `${folder} (${settings}) can't be written: ${code}`,
      `Make the folder, for the user of this process`,
    );
  }
}

/** The disks of the embedded database, of files, of backups, and of temporary files. */
export async function checkDisks({ databaseUrl, dataDir, files, backups }: Config): Promise<Finding[]> {
  const own: [folder: string, settings: string][] =
    databaseUrl === null ? (await findDataFolders(dataDir)).map((folder) => [folder, 'DATA_DIR']) : [];
  const ofFiles: typeof own = 'folder' in files && (await exists(files.folder)) ? [[files.folder, 'FILES_URL']] : [];
  const ofBackups: typeof own = backups && (await exists(backups.folder)) ? [[backups.folder, 'BACKUP_FOLDER']] : [];
  const all: typeof own = [...own, ...ofFiles, ...ofBackups, [tmpdir(), 'TMPDIR']];
  return Promise.all(all.map(([folder, settings]) => checkDisk(folder, settings)));
}

/** DATA_DIR, and the embedded database's folder if it is elsewhere: the user that runs it may be unable to reach DATA_DIR. */
async function findDataFolders(dataDir: string): Promise<string[]> {
  const [data, database] = await Promise.all([dataDir, join(dataDir, 'postgres')].map(realPath));
  return database === undefined || dirname(database) === data ? [dataDir] : [dataDir, database];
}

const realPath = (folder: string): Promise<string | undefined> => realpath(folder).catch(() => undefined);

const exists = (folder: string): Promise<boolean> =>
  access(folder).then(
    () => true,
    () => false,
  );

export function checkProxies({ publicUrl, trustedProxies, host }: Config): Finding[] {
  const isLocal = ['127.0.0.1', '::1', 'localhost'].includes(host);
  if (publicUrl === null && (trustedProxies > 0 || !isLocal))
    return [
      warn('proxies', 'PUBLIC_URL is not set', "Set it to the address that clients use: links have this process's own"),
    ];
  if (publicUrl?.startsWith('https:') && trustedProxies === 0)
    return [
      warn(
        'proxies',
        'PUBLIC_URL is https, so a proxy is in front of Kontor, but TRUSTED_PROXIES is 0',
        'Set TRUSTED_PROXIES to the number of proxies: else all clients count as one address',
      ),
    ];
  if (publicUrl?.startsWith('http:') && !/^http:\/\/(?:localhost|127\.|\[::1\])/.test(publicUrl))
    return [
      warn(
        'proxies',
        'PUBLIC_URL is http: passwords and tokens are not encrypted',
        'Put a proxy with TLS in front of Kontor',
      ),
    ];
  return [ok('proxies', `PUBLIC_URL is ${publicUrl ?? 'not set'}, TRUSTED_PROXIES is ${trustedProxies}`)];
}
