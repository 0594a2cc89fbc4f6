import type { Command } from 'commander';
import { version } from '../../../schema/version.ts';
import { exitCodes } from '../../commands/exit-codes.ts';
import { asJson, type Json } from '../../commands/json-option.ts';
import { print, printJson } from '../../commands/output.ts';
import { buildConnection, withConnection, type ApiConnection } from '../../commands/remote/connection.ts';
import { readMe } from '../../commands/remote/login.ts';

// `doctor` of the package: whether this machine can work with an installation. The server's own looks at the server.

interface Finding {
  check: 'address' | 'version' | 'clock' | 'token';
  ok: boolean;
  /** The result and, where something is wrong, the remedy. */
  message: string;
}

const timeoutMs = 10_000;
/** A webhook is refused when clocks differ by five minutes. */
const toleratedMs = 60_000;

export function addDoctorCommand(program: Command): void {
  const command = withConnection(
    asJson(program.command('doctor').description('check the address, the version, the clock, and the token')),
  );
  command.action(async ({ json }: Json) => {
    const findings = await examine(buildConnection(command));
    if (json) printJson(findings);
    else for (const { check, ok, message } of findings) print(`${ok ? 'ok  ' : 'FAIL'}  ${check}: ${message}`);
    if (findings.some(({ ok }) => !ok)) process.exitCode = exitCodes.failed;
  });
}

async function examine(connection: ApiConnection): Promise<Finding[]> {
  const { url } = connection;
  const before = Date.now();
  let response: Response;
  try {
    // Without the token: it is unknown yet who answers.
    response = await fetch(`${url}/health/ready`, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message;
    return [
      { check: 'address', ok: false, message: `${url} can't be reached (${reason}). Check --url and the network.` },
    ];
  }
  await response.body?.cancel();
  const now = (before + Date.now()) / 2;
  const theirs = response.headers.get('kontor-version');
  if (theirs === null)
    return [
      { check: 'address', ok: false, message: `${url} answers ${response.status}, but is no Kontor. Check --url.` },
    ];
  return [
    response.ok
      ? { check: 'address', ok: true, message: `${url} is ready` }
      : { check: 'address', ok: false, message: `${url} answers ${response.status}. Ask its operator.` },
    compareVersions(url, theirs),
    compareClocks(now, response.headers.get('date')),
    await checkToken(connection),
  ];
}

/** An installation fits a command line of the same major version that is not newer. */
function compareVersions(url: string, theirs: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [theirMajor = 0, theirMinor = 0] = theirs.split('.').map(Number);
  const ok = theirMajor === major && theirMinor >= minor;
  const message = `the installation has ${theirs}, this command line ${version}`;
  return {
    check: 'version',
    ok,
    message: ok ? message : `${message}. Install its own: npm i -g ${url}/downloads/cli.tgz`,
  };
}

function compareClocks(now: number, date: string | null): Finding {
  const differenceMs = Date.parse(date ?? '') - now;
  // Dates of HTTP have no fractions of a second.
  const seconds = Math.round(Math.abs(differenceMs) / 1000);
  const ok = Math.abs(differenceMs) <= toleratedMs;
  const message = `${seconds} s of difference to the installation's`;
  return {
    check: 'clock',
    ok,
    message: ok ? message : `${message}. Set this machine's clock (timedatectl set-ntp true).`,
  };
}

async function checkToken(connection: ApiConnection): Promise<Finding> {
  try {
    const { tenant, token } = await readMe(connection);
    const until = token.expires_at === null ? '' : `, until ${token.expires_at}`;
    return { check: 'token', ok: true, message: `of ${tenant.name}${until}; abilities: ${token.abilities.join(', ')}` };
  } catch (error) {
    return { check: 'token', ok: false, message: `${(error as Error).message} Get a new one, and run kontor login.` };
  }
}
