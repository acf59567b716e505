import type { Actor } from '../core/access/actor.js';
import { Forbidden } from '../core/errors/app-error.js';
import type { Deployment } from './deployment.entity.js';

/** Prevents requesters from approving their own deployment, whatever their role. @throws Forbidden OWN_REQUEST */
export function assertNotOwnRequest({ userId }: Actor, { status, requestedBy }: Deployment): void {
  if (status !== 'pending_approval' || requestedBy !== userId) return;
  throw new Forbidden('the requester of a deployment can neither approve nor reject it', {
    code: 'OWN_REQUEST',
    remedy: 'Ask another admin of the workspace, or withdraw it: POST /api/deployments/{id}/cancel.',
  });
}
