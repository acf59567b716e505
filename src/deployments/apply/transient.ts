import { type ResourceError } from '../plan/planned-resource.js';

/**
 * Whether a refusal ends when earlier resources become ready: a webhook's pods, the service account of a namespace, the usage that
 * a quota counts.
 */
export function isTransient({ reason, detail }: ResourceError): boolean {
  if (reason === 'WEBHOOK_FAILED') return true;
  return reason === 'FORBIDDEN' && /serviceaccount "[^"]*" not found|status unknown for quota/.test(detail);
}
