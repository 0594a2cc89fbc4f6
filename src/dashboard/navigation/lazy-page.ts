import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

/** A page's script could not be loaded: no connection, or another version is installed by now. */
export class PageLoadError extends Error {
  override name = 'PageLoadError';
}

/** A component, usually a page, whose script is loaded when it is first shown. */
export const lazyPage = <Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyExoticComponent<ComponentType<Props>> =>
  lazy(async () => {
    try {
      return await load();
    } catch (error) {
      throw new PageLoadError('The page could not be loaded', { cause: error });
    }
  });

/**
 * Reloads the window, if the server answers: without a connection the browser would show its own error in place of
 * everything.
 * @returns whether the window is on its way
 */
export async function reloadIfReachable(): Promise<boolean> {
  try {
    await fetch(window.location.href, { method: 'HEAD', cache: 'no-store' });
  } catch {
    return false;
  }
  window.location.reload();
  return true;
}

const key = 'kontor-reloaded';
const minute = 60_000;

/**
 * Reloads a page that was left open over an update: its old files are gone, the new ones a reload away. At most once a
 * minute, so that it never goes in circles.
 */
export async function reloadAfterUpdate(): Promise<boolean> {
  if (Date.now() - Number(sessionStorage.getItem(key)) < minute) return false;
  if (!(await reloadIfReachable())) return false;
  sessionStorage.setItem(key, String(Date.now()));
  return true;
}
