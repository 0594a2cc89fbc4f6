import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { print } from '../src/commands/output.ts';

// `npm run audit` checks the installed packages for known vulnerabilities. It exits with 1 if there are any. It exits with
// 2 and a message if the registry can't answer, so that a missing answer never looks like safety.

const root = fileURLToPath(new URL('..', import.meta.url));
const report = z.object({
  metadata: z.object({
    vulnerabilities: z.object({ total: z.number() }),
    dependencies: z.object({ total: z.number() }),
  }),
  vulnerabilities: z.record(z.string(), z.object({ severity: z.string(), range: z.string() })),
});

const packages = [
  { name: 'Kontor', folder: root },
  { name: 'the benchmark', folder: `${root}test/bench` },
  { name: 'the client of the API description', folder: `${root}test/openapi-client` },
];

let worst = 0;
for (const { name, folder } of packages) {
  const { stdout, stderr } = spawnSync('npm', ['audit', '--json', '--package-lock-only'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const answer = report.safeParse(parsed(stdout));
  if (!answer.success) {
    const [reason = 'no answer'] = (findReason(stdout) ?? stderr).split('\n');
    print(`${name}: NOT KNOWN. The registry can't tell: ${reason}`);
    worst = Math.max(worst, 2);
    continue;
  }
  const { metadata, vulnerabilities } = answer.data;
  print(`${name}: ${metadata.vulnerabilities.total} known in ${metadata.dependencies.total} packages`);
  for (const [at, { severity, range }] of Object.entries(vulnerabilities)) print(`  ${severity}: ${at} ${range}`);
  if (metadata.vulnerabilities.total > 0) worst = Math.max(worst, 1);
}
process.exitCode = worst;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function findReason(text: string): string | undefined {
  const answer = z.object({ message: z.string() }).safeParse(parsed(text));
  return answer.success ? answer.data.message.replace(/ - .*/, '') : undefined; // without the registry's address
}
