import { nameKustomization } from './kustomization-name.js';

it.each([
  ['podinfo', [], 'sent', 'podinfo'],
  ['shop/overlays/staging', ['shop/base'], 'sent', 'shop'],
  ['shop-main/deploy/overlays/staging', ['shop-main/deploy/base'], 'x', 'shop'],
  ['kueue-0a1b2c3d4e5f/config/default', ['kueue-0a1b2c3d4e5f/config/crd'], 'x', 'kueue'],
  ['staging', ['base'], 'shop', 'shop'],
  ['overlays/staging', ['guestbook'], 'staging', 'guestbook'],
  ['overlays/eu', ['apps/guestbook/base'], 'archive', 'guestbook'],
  ['', [], 'shop-1.2.3', 'shop'],
  ['', ['guestbook'], 'kustomization', 'guestbook'],
  ['staging', ['base'], 'sent', 'staging'],
  ['', [], 'kustomization', 'kustomization'],
])('calls %j with the bases %j of %s %j', (folder, bases, file, name) => {
  expect(nameKustomization({ folder, bases, file })).toBe(name);
});
