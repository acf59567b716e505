import type { Actor } from '../core/access/actor.js';
import { assertInstallationAdmin, assertScope } from '../core/access/access.service.js';
import type { Operation } from '../core/access/policy.js';

/** @throws Forbidden unless the actor administers the installation, with a token that lets them */
export function assertRegistryWriter(actor: Actor, operation: Operation): void {
  assertScope(actor, operation);
  assertInstallationAdmin(actor, operation);
}
