import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { snippets } from '../../src/dashboard/pages/deliveries/snippets.ts';
import { newSecret, signatures } from '../../src/webhooks/signature.ts';

const folder = mkdtempSync(join(tmpdir(), 'kontor-snippets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const programs: Record<string, [file: string, program: string, ...args: string[]]> = {
  Shell: ['verify.sh', 'sh'],
  'Node.js': ['verify.mjs', 'node'],
  Python: ['verify.py', 'python3'],
  PHP: ['verify.php', 'php'],
  Ruby: ['verify.rb', 'ruby'],
  Go: ['verify.go', 'go', 'run'],
};

// All characters that are special within quotes in one of these languages.
const body = JSON.stringify({ data: `Bäckerei "O'Neill" \\ #{1} $HOME \`id\` %s 🥨 \u2028 \u007F </script>` });
const secret = newSecret();
const signature = signatures({ body, eventId: 'e', timestamp: 1, secrets: { document: secret, standard: [] } })[
  'X-Service-Signature'
];

it('is a program in each language that is listed', () => {
  expect(snippets({ body, signature }).map(({ language }) => language)).toEqual(Object.keys(programs));
});

describe.each(snippets({ body, signature }).map(({ language }, index) => ({ language, index })))(
  '$language',
  ({ language, index }) => {
    const [file, program, ...args] = programs[language] ?? ['', ''];
    const run = (sent: { body: string; signature: string }): string => {
      const path = join(folder, file);
      writeFileSync(path, snippets(sent)[index]!.code);
      const env = { ...process.env, WEBHOOK_SECRET: secret };
      const { stdout, stderr } = spawnSync(program, [...args, path], { env, encoding: 'utf8' });
      return stdout.trim() || stderr;
    };
    describe.skipIf(spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0)('the snippet', () => {
      it('prints true for the service’s request', () => expect(run({ body, signature })).toBe('true'));
      it('prints false for another body', () => expect(run({ body: `${body} `, signature })).toBe('false'));
    });
  },
);
