/**
 * Draws sample documents and keeps their pages as PNG in test/documents/screenshots, to be looked at:
 * `node test/documents/screenshots.ts`. Needs pdftoppm, of the package poppler-utils.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderPdf } from '../../schema/documents/pdf/render-pdf.ts';
import { samples } from './samples.ts';

const target = join(import.meta.dirname, 'screenshots');
const folder = mkdtempSync(join(tmpdir(), 'kontor-documents-'));
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const [name, { invoice, look }] of Object.entries(samples)) {
  const file = join(folder, `${name}.pdf`);
  writeFileSync(file, await renderPdf(invoice, look));
  execFileSync('pdftoppm', ['-png', '-r', '90', file, join(target, name)]);
}
rmSync(folder, { recursive: true });
