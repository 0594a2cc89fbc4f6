import { useSyncExternalStore } from 'react';
import type { BaseLocationHook, BaseSearchHook } from 'wouter';
import { mayDiscard, hasUnsaved } from '../forms/unsaved.ts';

/**
 * The address that is shown, for wouter. It follows the browser's, but for one thing: whoever leaves a form with
 * something unsaved is asked first, by a link as by Back. Filters change the query only, and never ask.
 */
interface Place {
  path: string;
  search: string;
}

const here = (): Place => ({ path: window.location.pathname, search: window.location.search });

const listeners = new Set<() => void>();
let shown = here();

// Each history entry has a number, so that an entry that was left by Back can be restored.
const numberOf = (state: unknown): number | undefined => (state as { entry?: number } | null)?.entry;
let entry = numberOf(window.history.state) ?? 0;
window.history.replaceState({ entry }, '');

/** What the next popstate is, where we caused it. */
let own: 'return' | 'leave' | undefined;

function show(): void {
  shown = here();
  for (const listener of listeners) listener();
}

async function navigate(to: string, { replace = false }: { replace?: boolean } = {}): Promise<void> {
  const { pathname } = new URL(to, window.location.href);
  if (pathname !== shown.path && hasUnsaved() && !(await mayDiscard())) return;
  if (!replace) entry += 1;
  window.history[replace ? 'replaceState' : 'pushState']({ entry }, '', to);
  show();
}

async function followHistory(): Promise<void> {
  const cause = own;
  own = undefined;
  if (cause === 'return') return;
  const arrived = numberOf(window.history.state);
  if (arrived === undefined) {
    // A link within the page, to a heading say, made an entry without our number.
    entry += 1;
    window.history.replaceState({ entry }, '');
    return show();
  }
  const steps = arrived - entry;
  if (cause === 'leave' || steps === 0 || window.location.pathname === shown.path || !hasUnsaved()) {
    entry = arrived;
    return show();
  }
  // The form's own address comes back while one is asked.
  own = 'return';
  window.history.go(-steps);
  if (!(await mayDiscard())) return;
  own = 'leave';
  window.history.go(steps);
}

window.addEventListener('popstate', () => void followHistory());

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

const useShownLocation: BaseLocationHook = () => [useSyncExternalStore(subscribe, () => shown.path), navigate];

const useShownSearch: BaseSearchHook = () => useSyncExternalStore(subscribe, () => shown.search);

/** For wouter's router. */
export const locationHooks = { hook: useShownLocation, searchHook: useShownSearch };
