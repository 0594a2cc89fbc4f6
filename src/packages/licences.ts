import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { root } from './pack.ts';
import { findRecorded } from './without-licence-file.ts';

/** A third party's package, as it is installed. */
export interface ThirdParty {
  name: string;
  version: string;
  /** As SPDX writes it. */
  licence: string;
  /** Its licence and notices, or what stands in for them; undefined where it has none. */
  text: string | undefined;
}

const person = z.union([z.string(), z.object({ name: z.string() })]);
const packageManifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.union([z.string(), z.object({ type: z.string() })]).optional(),
  licenses: z.array(z.object({ type: z.string() })).optional(),
  author: person.optional(),
});

const licenceFile = /^(licen[cs]e|copying|unlicense|notice|ofl)([._-].*)?$/i;

/** @param folder of the package. @throws if it has no readable manifest */
export function readThirdParty(folder: string): ThirdParty {
  const found = packageManifest.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  const { name, version, license, licenses = [] } = found;
  const own = typeof license === 'object' ? license.type : license;
  const recorded = findRecorded(name);
  const files = readdirSync(folder, { withFileTypes: true }).filter(
    (each) => each.isFile() && licenceFile.test(each.name),
  );
  const texts = files.map((each) => readFileSync(join(folder, each.name), 'utf8').trim());
  return {
    name,
    version,
    licence: recorded?.licence ?? own ?? (licenses.map(({ type }) => type).join(' OR ') || 'unknown'),
    text: texts.length > 0 ? texts.join('\n\n') : recorded && standIn(recorded),
  };
}

function standIn({ licence, holder }: { licence: string; holder: string }): string {
  const copyright = `Copyright (c) ${holder}`;
  // Kontor's own licence is MIT: its text below the line of the copyright is everybody's.
  if (licence === 'MIT')
    return readFileSync(join(root, 'LICENSE'), 'utf8')
      .replace(/^Copyright.*$/m, copyright)
      .trim();
  return `${copyright}. Licence: ${licence}, https://spdx.org/licenses/${licence}`;
}

/** The licences of packages, for people: each text once. */
export function formatNotices(packages: readonly ThirdParty[]): string {
  const sorted = packages.toSorted((a, b) => (formatName(a) < formatName(b) ? -1 : 1));
  const byText = Map.groupBy(sorted, ({ text = 'no licence file' }) => text);
  return [...byText]
    .map(([text, those]) => `${those.map((each) => `${formatName(each)} (${each.licence})`).join('\n')}\n\n${text}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

const formatName = ({ name, version }: ThirdParty): string => `${name} ${version}`;
