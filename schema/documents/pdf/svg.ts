import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { SaxesParser } from 'saxes';
import { maxLogoHeight, maxLogoWidth } from './logo.ts';
import type { Picture } from './png.ts';

/** An SVG that can't be a logo. The message is for whoever has chosen it. */
export class SvgError extends Error {}

const svgNamespace = 'http://www.w3.org/2000/svg';

/** The elements that a logo may have. Others load something, run something, or can take very much memory to be drawn. */
const allowed = new Set(
  `svg g defs symbol use path rect circle ellipse line polyline polygon text tspan linearGradient radialGradient stop
   clipPath mask style title desc metadata`.split(/\s+/),
);
/** With all copies that `use` makes. */
const maxElements = 20_000;
/** Each level may need a picture of its own. */
const maxDepth = 100;

/** A reference that loads something: a CSS import, or a url() that is no fragment of the file. */
const loads = /@import|url\(\s*['"]?\s*(?:[^#'"\s]|$)/i;

/** @throws SvgError if the SVG is too large, refers to anything outside of it, or has elements that a logo doesn't need */
export function checkSvg(svg: string): void {
  const parser = new SaxesParser({ xmlns: true });
  /** The open elements: with the id, and how many elements and how many copies there were before. */
  const open: { name: string; id: string | undefined; elements: number; uses: number }[] = [];
  const sizes = new Map<string, { elements: number; uses: number }>();
  const targets: string[] = [];
  let elements = 0;
  const refuse = (message: string): never => {
    throw new SvgError(message);
  };
  parser.on('error', ({ message }) => refuse(`Is not valid XML: ${message}.`));
  parser.on('doctype', (doctype) => {
    if (doctype.includes('[')) refuse('Must not declare entities.');
  });
  parser.on('processinginstruction', ({ target }) => {
    if (target === 'xml-stylesheet') refuse('Must not load a style sheet.');
  });
  parser.on('opentag', ({ local, uri, attributes }) => {
    if (open.length === 0 && (local !== 'svg' || uri !== svgNamespace)) refuse('Must be an SVG.');
    if (open.length === maxDepth) refuse(`Must not have elements more than ${maxDepth} deep.`);
    const values = Object.values(attributes);
    const id = values.find(({ name }) => name === 'id')?.value;
    open.push({ name: uri === svgNamespace ? local : '', id, elements, uses: targets.length });
    if (uri !== svgNamespace) return; // what drawing programs store for themselves
    elements += 1;
    if (!allowed.has(local)) refuse(`Must not have <${local}>. Save the logo as a PNG.`);
    for (const { local: attribute, value } of values) {
      if (attribute === 'href' && !value.startsWith('#')) refuse('Must not refer to other files.');
      if (loads.test(value)) refuse('Must not refer to other files.');
      if (attribute === 'href' && local === 'use') targets.push(value.slice(1));
    }
  });
  parser.on('closetag', () => {
    const { id, ...before } = open.pop() ?? { id: undefined, elements: 0, uses: 0 };
    const size = { elements: elements - before.elements, uses: targets.length - before.uses };
    if (id !== undefined) sizes.set(id, size);
  });
  const style = (text: string): void => {
    if (open.at(-1)?.name === 'style' && loads.test(text)) refuse('Must not refer to other files.');
  };
  parser.on('text', style);
  parser.on('cdata', style);
  parser.write(svg).close();
  if (targets.some((id) => sizes.get(id)?.uses))
    refuse('Must not copy elements with <use> that have copies themselves.');
  for (const id of targets) elements += sizes.get(id)?.elements ?? 0;
  if (elements > maxElements) refuse(`Must not have more than ${maxElements} elements.`);
}

const font = '@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf';

/**
 * Draws an SVG on white, as large as documents show it. The program that draws is WebAssembly: it can reach no file and no
 * network.
 * @param svg has passed checkSvg()
 * @throws SvgError
 */
export async function drawSvg(svg: string): Promise<Picture> {
  const { initWasm, Resvg } = await import('@resvg/resvg-wasm');
  await initWasm(await readFile(createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')));
  const fontBuffers = [await readFile(fileURLToPath(import.meta.resolve(font)))];
  const options = {
    background: '#ffffff',
    font: { fontBuffers, defaultFontFamily: 'Inter', sansSerifFamily: 'Inter', serifFamily: 'Inter' },
  };
  try {
    const wide = new Resvg(svg, { ...options, fitTo: { mode: 'width', value: maxLogoWidth } });
    const isHigh = (wide.height / wide.width) * maxLogoWidth > maxLogoHeight;
    const drawing = isHigh ? new Resvg(svg, { ...options, fitTo: { mode: 'height', value: maxLogoHeight } }) : wide;
    return drawing.render();
  } catch (error) {
    throw new SvgError(`Can't be drawn: ${error instanceof Error ? error.message : String(error)}.`);
  }
}
