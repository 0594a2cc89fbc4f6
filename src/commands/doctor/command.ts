import type { Command } from 'commander';
import { version } from '../../../schema/version.ts';
import { ConfigError, readConfig } from '../../config/config.ts';
import { examine } from './doctor.ts';
import { fail, type Finding } from './finding.ts';
import { exitCodes } from '../exit-codes.ts';
import { print, printJson } from '../output.ts';
import { asJson, type Json } from '../json-option.ts';

export function addDoctorCommand(program: Command): void {
  asJson(
    program.command('doctor').description('check the installation: database, disks, settings, queue, backups'),
  ).action(async ({ json }: Json) => {
    const found = await findAll();
    const isFine = found.every(({ status }) => status !== 'fail');
    if (json) printJson({ version, ok: isFine, checks: found });
    else for (const finding of found) print(toLine(finding));
    if (!isFine) process.exitCode = exitCodes.failed;
  });
}

async function findAll(): Promise<Finding[]> {
  try {
    return await examine(readConfig(process.env));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [fail('settings', error.message, 'Correct the setting: OPERATING.md, Settings')];
  }
}

const toLine = ({ status, check, message, action }: Finding): string =>
  `${status.padEnd(4)}  ${check.padEnd(17)}  ${message}${action === undefined ? '' : `. ${action}`}`;
