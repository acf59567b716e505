import type { Actor } from '../core/access/actor.js';
import { requireInstallation, requireScope } from '../core/access/access.js';
import type { Operation } from '../core/access/policy.js';

/** @throws Forbidden unless the actor administers the installation, with a token that lets them */
export function requireRegistryWriter(actor: Actor, operation: Operation): void {
  requireScope(actor, operation);
  requireInstallation(actor, operation);
}
