import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

// Runs the generators and linters as their guides say, with their defaults. The packages are those of the package.json beside
// this file.

const folder = fileURLToPath(new URL('.', import.meta.url));
const execute = promisify(execFile);

/** Runs a program of these packages. @returns what it prints; with its failure, where it fails */
async function run(program: string, ...args: string[]): Promise<string> {
  try {
    const { stdout, stderr } = await execute(`node_modules/.bin/${program}`, args, { cwd: folder });
    return stdout + stderr;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return `${program} failed: ${stdout}${stderr}`;
  }
}

const input = './generated/openapi.json';

/** Writes clients of all generators. @returns what failed */
export async function generateClients(description: object): Promise<string[]> {
  rmSync(`${folder}generated`, { recursive: true, force: true });
  mkdirSync(`${folder}generated`);
  writeFileSync(`${folder}${input}`, JSON.stringify(description));
  const heyApi = ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk', 'zod'];
  const outputs = await Promise.all([
    run('openapi-typescript', input, '--output', 'generated/openapi-typescript.ts'),
    run('openapi-ts', '--input', input, '--output', 'generated/hey-api', '--plugins', ...heyApi, '--no-log-file'),
    run('orval', '--input', input, '--output', 'generated/orval/fetch.ts', '--client', 'fetch'),
    run('orval', '--input', input, '--output', 'generated/orval/zod.ts', '--client', 'zod'),
    run('swagger-typescript-api', 'generate', '-p', input, '-o', 'generated', '-n', 'swagger-typescript-api.ts'),
  ]);
  return outputs.filter((output) => / failed: |error/i.test(output));
}

/** @returns the errors of the clients' types, as the compiler prints them */
export const typeErrors = (): Promise<string> => run('../../../../node_modules/.bin/tsc', '-p', '.');

/** @returns what the linters print about the recommended rules */
export async function lint(): Promise<{ spectral: string; redocly: string }> {
  const [spectral, redocly] = await Promise.all([
    run('spectral', 'lint', '--ruleset', 'spectral.yaml', '--fail-severity', 'hint', input),
    run('redocly', 'lint', '--extends', 'recommended', '--format', 'json', input),
  ]);
  return { spectral, redocly };
}
