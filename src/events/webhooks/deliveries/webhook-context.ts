import { Actor } from '../../../core/access/actor.js';
import { generateRequestId } from '../../../core/telemetry/request-context.js';

/** In which deliveries are made and sent, outside of any request. */
export const makeWebhookContext = () =>
  ({ requestId: generateRequestId(), actor: Actor.system('webhooks'), origin: { via: 'job' } }) as const;
