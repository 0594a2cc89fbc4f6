import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { print } from '../src/output.ts';

// `npm run audit`: whether the registry knows of a vulnerability in what is installed. Fails if it does; and ends by 2,
// and says so, where the registry can't tell, so that silence is never taken for safety.

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
  const said = report.safeParse(parsed(stdout));
  if (!said.success) {
    const [reason = 'no answer'] = (reasonOf(stdout) ?? stderr).split('\n');
    print(`${name}: NOT KNOWN. The registry can't tell: ${reason}`);
    worst = Math.max(worst, 2);
    continue;
  }
  const { metadata, vulnerabilities } = said.data;
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

function reasonOf(text: string): string | undefined {
  const said = z.object({ message: z.string() }).safeParse(parsed(text));
  return said.success ? said.data.message.replace(/ - .*/, '') : undefined; // whose address is none of ours to tell
}
