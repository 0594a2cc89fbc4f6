import { lazy, type ComponentType, type LazyExoticComponent } from 'react';

/** A page's script could not be loaded: there is no connection, or a new version has been installed. */
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
 * Reloads the window if the server can be reached. Without a connection the browser would replace the app by its own error
 * page.
 * @returns whether the window reloads
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

const storageKey = 'kontor-reloaded';
const minute = 60_000;

/**
 * Reloads a page that was open during an update: the files of its version no longer exist. At most once a minute, to avoid
 * a loop.
 */
export async function reloadAfterUpdate(): Promise<boolean> {
  if (Date.now() - Number(sessionStorage.getItem(storageKey)) < minute) return false;
  if (!(await reloadIfReachable())) return false;
  sessionStorage.setItem(storageKey, String(Date.now()));
  return true;
}
