import { Actor } from '../../../core/access/actor.js';
import { generateRequestId } from '../../../core/telemetry/request-context.js';

/** Creates the request context in which deliveries are created and sent. */
export const makeWebhookContext = () =>
  ({ requestId: generateRequestId(), actor: Actor.system('webhooks'), origin: { via: 'job' } }) as const;
