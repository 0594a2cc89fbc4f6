import { useSyncExternalStore } from 'react';
import type { BaseLocationHook, BaseSearchHook } from 'wouter';
import { confirmDiscard, hasUnsaved } from '../forms/unsaved.ts';

/**
 * wouter's location. It follows the browser's location, but leaving a form with unsaved input asks for confirmation first,
 * by a link or by Back. Filters change only the query, and never ask.
 */
interface ShownLocation {
  path: string;
  search: string;
}

const browserLocation = (): ShownLocation => ({ path: window.location.pathname, search: window.location.search });

const listeners = new Set<() => void>();
let shown = browserLocation();

// Each history entry has a number, so that Back can be reverted.
const getNumber = (state: unknown): number | undefined => (state as { entry?: number } | null)?.entry;
let entry = getNumber(window.history.state) ?? 0;
window.history.replaceState({ entry }, '');

/** Why the next popstate event occurs, if this module causes it. */
let pendingPop: 'revert' | 'leave' | undefined;

function showBrowserLocation(): void {
  shown = browserLocation();
  for (const listener of listeners) listener();
}

async function navigate(to: string, { replace = false }: { replace?: boolean } = {}): Promise<void> {
  const { pathname } = new URL(to, window.location.href);
  if (pathname !== shown.path && hasUnsaved() && !(await confirmDiscard())) return;
  if (!replace) entry += 1;
  window.history[replace ? 'replaceState' : 'pushState']({ entry }, '', to);
  showBrowserLocation();
}

async function followHistory(): Promise<void> {
  const cause = pendingPop;
  pendingPop = undefined;
  if (cause === 'revert') return;
  const arrived = getNumber(window.history.state);
  if (arrived === undefined) {
    // A link within the page, such as to a heading, creates an entry without a number.
    entry += 1;
    window.history.replaceState({ entry }, '');
    return showBrowserLocation();
  }
  const steps = arrived - entry;
  if (cause === 'leave' || steps === 0 || window.location.pathname === shown.path || !hasUnsaved()) {
    entry = arrived;
    return showBrowserLocation();
  }
  // Shows the form's URL again while the user is asked.
  pendingPop = 'revert';
  window.history.go(-steps);
  if (!(await confirmDiscard())) return;
  pendingPop = 'leave';
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
