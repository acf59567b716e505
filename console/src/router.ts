import { signal } from '@preact/signals';

/** Of the first path of the console: the page works below any path prefix. */
export const root = new URL('..', import.meta.url);

export interface Place {
  /** Below the root, such as `/designs`. */
  path: string;
  query: URLSearchParams;
}

export const place = signal(here());
/** How often another screen was opened: the first one does not take the focus. */
export let moves = 0;

function here(): Place {
  const { pathname, search } = window.location;
  const path = pathname.startsWith(root.pathname) ? pathname.slice(root.pathname.length - 1) : '/';
  return { path: path.length > 1 ? path.replace(/\/$/, '') : path, query: new URLSearchParams(search) };
}

/** The address of a path of this console, or of this server. */
export const addressOf = (path: string): string => root.pathname + path.replace(/^\//, '');

export function navigate(path: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', addressOf(path));
  arrive();
}

function arrive(): void {
  const before = place.peek().path;
  place.value = here();
  if (place.peek().path === before) return;
  moves += 1;
  window.scrollTo(0, 0);
}

/** Links are plain links, so that they can be opened in another tab; a click on one of this console opens its screen. */
export function followLinks(): void {
  addEventListener('popstate', arrive);
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || event.defaultPrevented || event.button !== 0 || link.target || link.hasAttribute('download')) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const { origin, pathname, search, hash } = new URL(link.href);
    if (origin !== location.origin || hash || !pathname.startsWith(root.pathname)) return;
    const path = pathname.slice(root.pathname.length - 1);
    if (/^\/(api|docs|download|console)(\/|$)/.test(path)) return;
    event.preventDefault();
    navigate(path + search);
  });
}
