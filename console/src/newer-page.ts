import { signal } from '@preact/signals';
import { offline } from './api.js';
import { root } from './router.js';

/** The server has another version of this page than is open. */
export const hasNewerPage = signal(false);

export async function lookForNewerPage(): Promise<void> {
  const response = await fetch(root, { headers: { Accept: 'text/html' } }).catch(() => undefined);
  if (!response) offline.value = true;
  if (!response?.ok) return;
  const own = [...document.scripts].map(({ src }) => src.slice(src.lastIndexOf('/') + 1)).find(Boolean);
  const text = await response.text();
  if (own && !text.includes(own)) hasNewerPage.value = true;
}
