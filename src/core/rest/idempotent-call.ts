import type { Request } from 'express';
import type { Actor } from '../access/actor.js';
import { InvalidRequest, type NotFound } from '../errors/app-error.js';

/** A call with an idempotency key: its caller, token and route. */
export interface IdempotentCall {
  /** The user; the limits of stored responses apply to a user with all tokens. */
  caller: string;
  /** The token of the call and its scopes: another token does not get the stored response. */
  token: string;
  route: string;
  key: string;
}

export interface RepeatedDelete {
  /**
   * Set when the record of the path does not exist and the caller sent this DELETE before: the response is the
   * stored one, otherwise this error.
   */
  repeated?: NotFound;
}

/**
 * Returns the call when the request has an idempotency key, otherwise null.
 * @throws InvalidRequest for an empty or too long key
 */
export function findIdempotentCall(
  { headers, method, originalUrl }: Pick<Request, 'headers' | 'method' | 'originalUrl'>,
  actor: Actor,
): IdempotentCall | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || key.length === 0 || key.length > 255)
    throw InvalidRequest.forField('Idempotency-Key', 'must have 1 to 255 characters');
  return {
    caller: actor.userId ?? actor.name,
    token: [actor.sessionId, ...actor.scopes].join(' '),
    route: `${method} ${originalUrl}`,
    key,
  };
}
