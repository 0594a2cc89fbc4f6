import { execFile } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { kontorCommand } from '../contenders.ts';
import type { Installation } from './installation.ts';
import { environment } from './processes.ts';
import { figure, type ReportRow } from './report.ts';

const run = promisify(execFile);

/** `kontor backup` of the whole installation, and `kontor restore` of that. */
export async function backupAndRestore({ folder }: Installation, report: (line: string) => void): Promise<ReportRow[]> {
  const file = `${folder}.backup`;
  const restored = `${folder}.restored`;
  const kontor = async (dataDir: string, command: string): Promise<number> => {
    report(command);
    const start = performance.now();
    await run(process.execPath, [...kontorCommand, command, file], {
      env: {
        ...process.env,
        ...environment,
        DATABASE_URL: '',
        DATA_DIR: dataDir,
        KONTOR_BACKUP_PASSPHRASE: 'a passphrase for nothing',
      },
    });
    return (performance.now() - start) / 1000;
  };
  await rm(file, { force: true });
  try {
    const backup = await kontor(folder, 'backup');
    const { size } = await stat(file);
    const restore = await kontor(restored, 'restore');
    return [
      { work: 'kontor backup', figures: [figure('seconds', backup), figure('size', size / 1e6, 'MB')] },
      { work: 'kontor restore', figures: [figure('seconds', restore)] },
    ];
  } finally {
    await rm(file, { force: true });
    await rm(restored, { recursive: true, force: true });
  }
}
