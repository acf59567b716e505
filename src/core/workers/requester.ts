import { currentRequest } from '../telemetry/request-context.js';

/** On whose behalf work is done: scarce capacity is shared among organizations first, then among the callers of each. */
export interface Requester {
  organization: string;
  caller: string;
}

/** The caller of the request that is being served. One whose organization is not known yet counts as an organization alone. */
export function currentRequester(): Requester {
  const { actor, onBehalfOf, organizationId } = currentRequest() ?? {};
  const caller = onBehalfOf ?? actor?.userId ?? actor?.name ?? 'nobody';
  return { caller, organization: organizationId ?? actor?.defaultOrganizationId ?? caller };
}
