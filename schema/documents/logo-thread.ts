import { prepareLogo } from './pdf/logo.ts';
import { checkSvg, drawSvg, SvgError } from './pdf/svg.ts';

/** A logo as documents embed it, or why it can't be used, as a sentence. */
export type LogoResult = { png: Uint8Array; fault?: undefined } | { fault: string };

const pngSignature = '89504e470d0a1a0a';

/** The work of a thread: makes a new PNG of a PNG or SVG, so that nothing of the file itself is stored. */
export default async function makeLogo(file: Uint8Array): Promise<LogoResult> {
  const bytes = Buffer.from(file);
  if (bytes.subarray(0, 8).toString('hex') === pngSignature) return fromPng(bytes);
  let svg: string;
  try {
    svg = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { fault: 'Must be a PNG or an SVG.' };
  }
  if (!svg.trimStart().startsWith('<')) return { fault: 'Must be a PNG or an SVG.' };
  try {
    checkSvg(svg);
    return { png: await prepareLogo(await drawSvg(svg)) };
  } catch (error) {
    if (error instanceof SvgError) return { fault: error.message };
    throw error;
  }
}

async function fromPng(bytes: Buffer): Promise<LogoResult> {
  try {
    return { png: await prepareLogo(bytes) };
  } catch (error) {
    return { fault: `Can't be read: ${error instanceof Error ? error.message : String(error)}.` };
  }
}
