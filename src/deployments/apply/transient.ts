import { type ResourceError } from '../plan/planned-resource.js';

/** Whether a refusal passes when what was applied before has come up: a webhook's pods, the account that a namespace gets. */
export function isTransient({ reason, detail }: ResourceError): boolean {
  return reason === 'WEBHOOK_FAILED' || (reason === 'FORBIDDEN' && /serviceaccount "[^"]*" not found/.test(detail));
}
