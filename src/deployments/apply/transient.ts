import { type ResourceError } from '../plan/planned-resource.js';

/** Whether a refusal passes when what was applied before has come up: a webhook's pods, the account that a namespace gets, the use that a quota counts. */
export function isTransient({ reason, detail }: ResourceError): boolean {
  if (reason === 'WEBHOOK_FAILED') return true;
  return reason === 'FORBIDDEN' && /serviceaccount "[^"]*" not found|status unknown for quota/.test(detail);
}
