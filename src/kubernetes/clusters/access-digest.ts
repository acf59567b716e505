import { createHmac } from 'node:crypto';
import type { ClusterAccess } from './cluster-access.js';

/**
 * A keyed digest of what decides which cluster responds and what it shows: address, trusted certificates and authentication,
 * without the default namespace. It reveals none of them.
 */
export function digestAccess(key: Buffer, { server, proxy, tls, user }: ClusterAccess): string {
  const { impersonate } = user;
  const parts = [
    [server, proxy, tls.ca, tls.servername, tls.insecure],
    [user.token, user.cert, user.key, user.username, user.password],
    [impersonate?.user, impersonate?.uid, impersonate?.groups, impersonate?.extra],
  ];
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
}
