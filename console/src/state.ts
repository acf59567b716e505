import { computed, signal } from '@preact/signals';
import { call, refresh } from './api.js';
import { follow } from './events.js';
import type { ProfileView } from '@armature/client';

export const profile = signal<ProfileView | null>(null);

/** Which organization and workspace were looked at last; never anything secret. */
const remembered = (name: string): string | null => {
  try {
    return localStorage.getItem(`armature.${name}`);
  } catch {
    return null;
  }
};
const remember = (name: string, value: string): void => {
  try {
    localStorage.setItem(`armature.${name}`, value);
  } catch {
    // A browser that keeps nothing.
  }
};

const chosen = signal(remembered('organization'));
const chosenWorkspace = signal(remembered('workspace'));

export const organization = computed(() => {
  const all = profile.value?.organizations ?? [];
  const wanted = [chosen.value, profile.value?.default_organization_id];
  return wanted.map((id) => all.find((each) => each.id === id)).find(Boolean) ?? all[0];
});
export const workspaceId = computed(() => chosenWorkspace.value);

/** What only admins of an organization may ask for is not asked by others. */
export const isAdminOf = (orgID: string): boolean =>
  profile.value?.organizations.some(({ id, role }) => id === orgID && role !== 'member') ?? false;

export function chooseOrganization(id: string): void {
  if (id === organization.peek()?.id) return;
  remember('organization', id);
  remember('workspace', '');
  chosenWorkspace.value = null;
  chosen.value = id;
}

export function chooseWorkspace(id: string): void {
  if (id === chosenWorkspace.peek()) return;
  remember('workspace', id);
  chosenWorkspace.value = id;
}

let followed: string | undefined;

/** Reads who is signed in. */
export async function loadProfile(): Promise<void> {
  const isFirst = profile.peek() === null;
  profile.value = await call('getProfile');
  if (!isFirst) refresh();
}

organization.subscribe((value) => {
  if (!value || value.id === followed) return;
  followed = value.id;
  follow(value.id);
});
