import type { Actor } from '../core/access/actor.js';
import { requireScope } from '../core/access/access.js';
import type { Operation } from '../core/access/policy.js';
import { Forbidden } from '../core/errors/app-error.js';

/** @throws Forbidden unless the actor administers the installation, with a token that lets them */
export function requireRegistryWriter(actor: Actor, operation: Operation): void {
  requireScope(actor, operation);
  if (!actor.installationAdmin)
    throw new Forbidden('only installation administrators write to the registry', {
      remedy: 'Ask an administrator of this installation.',
    });
}
