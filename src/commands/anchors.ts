import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, type Command } from 'commander';
import type { Anchor } from '../../schema/resources/document/verify.ts';
import { RefusedError } from '../identity/index.ts';

// Proofs that somebody noted outside of the database, as `kontor verify` prints the last one.

export interface Expected {
  expect?: Anchor[];
  expectFile?: string;
}

export const withExpected = (command: Command): Command =>
  command
    .option('--expect <position:hash>', 'a proof that was noted earlier; repeatable', (text, before: Anchor[] = []) => {
      const anchor = parseAnchor(text);
      if (!anchor) throw new InvalidArgumentError('It must be a position and a hash, such as 17:9f86….');
      return [...before, anchor];
    })
    .option('--expect-file <file>', 'proofs that were noted earlier, a line for each');

/** The proofs of the options and of the file. @throws RefusedError for a line that is none */
export async function readExpected({ expect = [], expectFile }: Expected): Promise<Anchor[]> {
  if (expectFile === undefined) return expect;
  const lines = (await readFile(expectFile, 'utf8')).split('\n');
  return [
    ...expect,
    ...lines.flatMap((line, at) => {
      if (line.trim() === '') return [];
      const anchor = parseAnchor(line.trim());
      if (!anchor) throw new RefusedError(`${expectFile}:${at + 1}: Must be POSITION:HASH`);
      return [anchor];
    }),
  ];
}

function parseAnchor(text: string): Anchor | undefined {
  const [, position = '', hash = ''] = /^([1-9]\d{0,8}):([0-9a-fA-F]{64})$/.exec(text) ?? [];
  return position === '' ? undefined : { position: Number(position), hash: hash.toLowerCase() };
}
