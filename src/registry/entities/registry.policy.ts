import type { Actor } from '../../core/access/actor.js';
import { assertInstallationAdmin, assertScope } from '../../core/authorization/permission-errors.js';
import { definePolicy, type Operation } from '../../core/access/policy.js';

/** One registry for the installation: everyone may read it, its administrators may write it. */
export const registryPolicy = definePolicy('registry', {
  read: { needs: 'none', scope: 'read' },
  validate: { needs: 'none', scope: 'read' },
  register: { needs: 'none', scope: 'admin', installation: true },
  generate: { needs: 'none', scope: 'admin', installation: true },
  setStatus: { needs: 'none', scope: 'admin', installation: true },
  delete: { needs: 'none', scope: 'admin', installation: true },
});

/** @throws Forbidden unless the actor administers the installation, with a token of the required scope */
export function assertRegistryWriter(actor: Actor, operation: Operation): void {
  assertScope(actor, operation);
  assertInstallationAdmin(actor, operation);
}
