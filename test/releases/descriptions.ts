import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { toSchema } from '../../schema/index.ts';
import { exitCodes } from '../../src/commands/exit-codes.ts';
import { description, type Description } from '../openapi/description.ts';
import type { Bounds } from './bounds.ts';
import { compareBounds, compareSchemas, listBounds, printPromise } from './graphql.ts';
import { compareMetrics, promisedMetrics, type PromisedMetrics } from './metrics.ts';
import { compareDescriptions, withoutTexts } from './openapi.ts';
import { compareSettings, promisedSettings, type PromisedSettings } from './settings.ts';

/** A version's promises to those who use and run it, beside its answers (`exchanges.test.ts`). */
export interface Promised {
  /** REST and events. */
  openapi: Description;
  sdl: string;
  /** Of GraphQL's inputs. */
  bounds: Record<string, Bounds>;
  metrics: PromisedMetrics;
  settings: PromisedSettings;
  exitCodes: Record<string, number>;
}

export function describeToday(): Promised {
  const schema = toSchema();
  return {
    openapi: withoutTexts(description()),
    sdl: printPromise(schema),
    bounds: listBounds(schema),
    metrics: promisedMetrics(),
    settings: promisedSettings(),
    exitCodes,
  };
}

/** The promises that a later version takes back, each as one line. */
export async function compareVersions(before: Promised, after: Promised): Promise<string[]> {
  const found = {
    REST: compareDescriptions(before.openapi, after.openapi),
    GraphQL: [...(await compareSchemas(before.sdl, after.sdl)), ...compareBounds(before.bounds, after.bounds)],
    metrics: compareMetrics(before.metrics, after.metrics),
    settings: compareSettings(before.settings),
    'exit codes': compareExitCodes(before.exitCodes, after.exitCodes),
  };
  return Object.entries(found).flatMap(([kind, changes]) => changes.map((change) => `${kind}: ${change}`));
}

export const compareExitCodes = (before: Record<string, number>, after: Record<string, number>): string[] =>
  Object.entries(before)
    .filter(([name, code]) => after[name] !== code)
    .map(([name, code]) => `${name}: ${code} → ${after[name]}`);

const folder = (version: string): URL => new URL(`${version}/`, import.meta.url);

/** The versions whose promises are in a folder here. */
export const versions = readdirSync(new URL('.', import.meta.url)).filter((name) => /^\d+\.\d+\.\d+$/.test(name));

const files = {
  openapi: 'openapi.json',
  sdl: 'schema.graphql',
  bounds: 'graphql-bounds.json',
  metrics: 'metrics.json',
  settings: 'settings.json',
  exitCodes: 'exit-codes.json',
} as const;

export function readPromised(version: string): Promised {
  const read = (name: keyof typeof files): string => readOf(version, files[name]);
  const parse = <Name extends keyof Promised>(name: Name): Promised[Name] => JSON.parse(read(name)) as Promised[Name];
  return {
    openapi: parse('openapi'),
    sdl: read('sdl'),
    bounds: parse('bounds'),
    metrics: parse('metrics'),
    settings: parse('settings'),
    exitCodes: parse('exitCodes'),
  };
}

/** Writes a file of a version, once: what was promised stays. */
export function writeOnce(version: string, name: string, text: string): void {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`${version} is no version`);
  mkdirSync(folder(version), { recursive: true });
  writeFileSync(new URL(name, folder(version)), text, { flag: 'wx' });
}

export function writePromised(version: string, promised: Promised): void {
  for (const [name, file] of Object.entries(files) as [keyof Promised, string][]) {
    const value = promised[name];
    writeOnce(version, file, typeof value === 'string' ? value : `${JSON.stringify(value)}\n`);
  }
}

export const readOf = (version: string, name: string): string => readFileSync(new URL(name, folder(version)), 'utf8');
