import type { Request } from 'express';
import type { Actor } from '../access/actor.js';
import { InvalidRequest, type NotFound } from '../errors/app-error.js';

/** A call under an idempotency key: who made it, with which token, and where. */
export interface IdempotentCall {
  /** The user; what one user keeps is bounded in sum, whatever the tokens are. */
  caller: string;
  /** The token that the call came with, and what it may do: another token does not get the answer. */
  token: string;
  route: string;
  key: string;
}

export interface RepeatedDelete {
  /** The record of the path is not there, and the caller sent this very DELETE before: it is answered with what is kept, or with this. */
  repeated?: NotFound;
}

/** The call under a key that the request is; null when it has none. @throws InvalidRequest for a key that is empty or too long */
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
