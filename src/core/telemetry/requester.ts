import { currentRequest } from './request-context.js';

/** The party for which work is done. Capacity is shared among organizations first, then among the callers of each. */
export interface Requester {
  organization: string;
  caller: string;
}

/** Returns the caller of the current request. A caller whose organization is not known yet counts as an organization. */
export function currentRequester(): Requester {
  const { actor, onBehalfOf, organizationId } = currentRequest() ?? {};
  const caller = onBehalfOf ?? actor?.userId ?? actor?.name ?? 'nobody';
  return { caller, organization: organizationId ?? actor?.defaultOrganizationId ?? caller };
}
