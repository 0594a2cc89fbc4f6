import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { print, printError, printJson, printRow, visible } from '../../src/commands/output.ts';

const hostile = 'Acme\u001b[2J\u001b]0;owned\u0007\u009b31m\r\b\u007f\u202egnp.exe\u2028';

/** The text that a call writes to the terminal. */
function written(call: () => void): string {
  let text = '';
  const hear = (chunk: unknown): boolean => {
    text += String(chunk);
    return true;
  };
  const spies = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  for (const spy of spies) spy.mockImplementation(hear);
  call();
  for (const spy of spies) spy.mockRestore();
  return text;
}

it('writes no control character of a text to the terminal', () => {
  const calls = [
    () => print(hostile),
    () => printError(`books.jsonl:3: The name is ${hostile}`),
    () => printRow(hostile, null, hostile),
    () => printJson({ name: hostile }),
  ];
  for (const call of calls) {
    const text = written(call);
    expect(text).toContain(String.raw`Acme\u001b[2J`);
    expect(text).not.toMatch(/[^\P{Cc}\t\n]|[\u2028\u202e]/u);
    expect(text).toMatch(/\n$/);
  }
});

it('writes JSON of the same value, and ordinary texts as they are', () => {
  const value = { name: hostile, more: ['\u0000\u0085', 'Löwen\t漢字 😀\n'] };
  expect(JSON.parse(written(() => printJson(value)))).toEqual(value);
  for (const text of ['Löwen\t漢字 😀\nline', 'אבג', '', 'é\u0301']) expect(visible(text)).toBe(text);
});

it('writes a row on one line, so that no text makes another cell or row', () => {
  expect(written(() => printRow('1', 'Acme\n2\tGlobex', null))).toBe('1\tAcme 2 Globex\t–\n');
});

it('is the one place for all output of the command line', () => {
  const src = new URL('../../src', import.meta.url).pathname;
  const others = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/^(dashboard|dev|sdk\/client)\/|\/dist\//.test(file))
    .flatMap((file) =>
      readFileSync(join(src, file), 'utf8')
        .split('\n')
        .filter((line) => /process\.std(?:out(?:\.write|[,)])|err\.write)|console\.\w+\(/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
  expect(others.filter((each) => !each.startsWith('commands/output.ts'))).toEqual([]);
});
