import type { RequestContext } from '../telemetry/request-context.js';

/** What the audit is told of the request that a transaction works for. */
export interface AuditedRequest {
  request: string;
  via?: string;
  /** Whom the token stands for, and the token. */
  caller?: string;
  token?: string;
  /** What the system does it for, when no caller does. */
  system?: string;
  onBehalfOf?: string;
  address?: string;
  agent?: string;
  /** The operation that is called. */
  operation?: string;
}

const described = new WeakMap<object, { key: string; text: string }>();

/** The request as JSON; undefined values are left out. */
export function describeRequest(context: RequestContext): string {
  const { caller, actor, origin, onBehalfOf, operation } = context;
  const key = `${caller?.userId} ${caller?.sessionId} ${actor?.name} ${operation}`;
  const kept = described.get(context);
  if (kept?.key === key) return kept.text;
  const audited: AuditedRequest = {
    request: context.requestId,
    via: origin?.via,
    caller: caller?.userId ?? undefined,
    token: caller?.sessionId ?? undefined,
    system: !caller && actor?.isSystem ? actor.name : undefined,
    onBehalfOf: caller ? undefined : onBehalfOf,
    address: origin?.address,
    agent: origin?.userAgent,
    operation,
  };
  const text = JSON.stringify(audited).replaceAll('\\u0000', '');
  described.set(context, { key, text });
  return text;
}
