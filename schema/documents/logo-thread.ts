import { makeStorableLogo } from './pdf/logo.ts';
import { decodePng, isPng, PngError } from './pdf/png.ts';
import { checkSvg, drawSvg, SvgError } from './pdf/svg.ts';

/** A logo as documents embed it, or why it can't be used, as a sentence. */
export type LogoResult = { png: Uint8Array; problem?: undefined } | { problem: string };

/** The work of a thread: makes a new PNG of a PNG or SVG, so that nothing of the file itself is stored. */
export default async function makeLogo(file: Uint8Array): Promise<LogoResult> {
  try {
    return { png: await makeStorableLogo(isPng(file) ? await decodePng(Buffer.from(file)) : await draw(file)) };
  } catch (error) {
    if (error instanceof SvgError) return { problem: error.message };
    if (error instanceof PngError) return { problem: describePngProblem(error) };
    throw error;
  }
}

function draw(file: Uint8Array) {
  const svg = new TextDecoder().decode(file);
  checkSvg(svg);
  return drawSvg(svg);
}

export const describePngProblem = ({ message }: PngError): string => `Can't be read: ${message}.`;
