import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Set where the tests by other readers of PDF must not be left out: `.ci/run`. */
const requirePdfTools = process.env['REQUIRE_PDF_TOOLS'] === '1';

const commands = ['qpdf', 'pdftotext', 'pdftoppm', 'pdfdetach'];
/** Debian's Apache PDFBox, and what it needs. */
const jars = ['preflight', 'pdfbox2', 'fontbox2', 'xmpbox', 'commons-logging', 'javax.activation', 'jaxb-api'].map(
  (name) => `/usr/share/java/${name}.jar`,
);

/** Debian's packages with the programs. */
export const pdfToolPackages =
  'qpdf poppler-utils default-jre-headless libpdfbox2-java libactivation-java libjaxb-api-java libcommons-logging-java';

/** Looks for it without starting it: every run of tests asks, and Java takes its time. */
const isOnPath = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

const isInstalled = (): boolean => [...commands, 'java'].every(isOnPath) && jars.every((jar) => existsSync(jar));

/** Whether there is nothing to test with, and nobody minds. */
export const noPdfTools = !requirePdfTools && !isInstalled();

/** Runs `use` with a file that has these bytes. */
export function withFile<T>(bytes: Uint8Array, use: (path: string, folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'kontor-pdf-'));
  try {
    const path = join(folder, 'document.pdf');
    writeFileSync(path, bytes);
    return use(path, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const run = (command: string, args: string[]): Buffer =>
  execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1e9 });

/** The text, placed as on the page. */
export const pdfText = (bytes: Uint8Array): string =>
  withFile(bytes, (path) => run('pdftotext', ['-layout', path, '-']).toString());

export interface Word {
  page: number;
  text: string;
  xMin: number;
  xMax: number;
  yMin: number;
  yMax: number;
}

/** Each word with its place, in points from the top left. */
export function pdfWords(bytes: Uint8Array): Word[] {
  const html = withFile(bytes, (path) => run('pdftotext', ['-bbox', path, '-']).toString());
  const words: Word[] = [];
  let page = 0;
  for (const [, attributes, text = ''] of html.matchAll(/<page |<word ([^>]*)>([^<]*)<\/word>/g)) {
    if (attributes === undefined) {
      page++;
      continue;
    }
    const [xMin = 0, yMin = 0, xMax = 0, yMax = 0] = [...attributes.matchAll(/"([^"]*)"/g)].map(([, value]) =>
      Number(value),
    );
    words.push({ page, text, xMin, xMax, yMin, yMax });
  }
  return words;
}

/** Problems that qpdf finds. Empty if there are none. */
export function qpdfProblems(bytes: Uint8Array): string {
  return withFile(bytes, (path) => {
    const { status, stdout, stderr } = spawnSync('qpdf', ['--check', path], { encoding: 'utf8' });
    return status === 0 ? '' : stdout + stderr;
  });
}

/** The attached file of a name. */
export const extractAttachment = (bytes: Uint8Array, name: string): Buffer =>
  withFile(bytes, (path, folder) => {
    run('pdfdetach', ['-savefile', name, '-o', join(folder, name), path]);
    return run('cat', [join(folder, name)]);
  });

/** Apache PDFBox in a process that validates many files, as Java takes its time to start. */
export function startPreflight() {
  const folder = mkdtempSync(join(tmpdir(), 'kontor-pdf-'));
  const path = join(folder, 'document.pdf');
  const program = join(import.meta.dirname, 'Preflight.java');
  const java = spawn('java', ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', jars.join(':'), program]);
  let errors = '';
  java.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const lines = createInterface(java.stdout)[Symbol.asyncIterator]();
  return {
    /** Its findings about a file as PDF/A-1b. Empty if it is valid. */
    findProblems: async (bytes: Uint8Array): Promise<string> => {
      writeFileSync(path, bytes);
      java.stdin.write(`${path}\n`);
      const found: string[] = [];
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`Preflight has ended: ${errors}`);
        if (value === 'valid') return '';
        if (value === 'invalid') return found.join('\n') || 'Preflight failed';
        found.push(value);
      }
    },
    close: (): void => {
      java.kill();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A page as gray pixels. */
export function pdfPixels(bytes: Uint8Array, page: number, resolution: number) {
  const args = ['-gray', '-r', String(resolution), '-f', String(page), '-l', String(page)];
  const image = withFile(bytes, (path) => run('pdftoppm', [...args, path]));
  // PGM: P5, width, height, and the largest value, then a byte for each pixel.
  const header = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(image.subarray(0, 100).toString('latin1'));
  if (header === null) throw new Error('pdftoppm wrote no PGM');
  return { width: Number(header[1]), height: Number(header[2]), gray: image.subarray(header[0].length) };
}
