import type { Warning } from './generated/types.ts';

const warnings = new WeakMap<object, readonly Warning[]>();

/**
 * Warnings about a resource that a request created or issued. Nothing was refused because of them. A copy
 * of the resource has no warnings, nor has a resource that was only read.
 */
export const warningsOf = (resource: object): readonly Warning[] => warnings.get(resource) ?? [];

/** Remembers the warnings of a response beside its resource, so that the resource is as REST returns it. */
export function rememberWarnings(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('data' in body) || !('warnings' in body)) return;
  if (typeof body.data === 'object' && body.data !== null && Array.isArray(body.warnings))
    warnings.set(body.data, body.warnings as Warning[]);
}
