import type { Request } from 'express';
import type { Actor } from '../access/actor.js';
import { AppError, InvalidRequest } from '../errors/app-error.js';

/** A call with an idempotency key: its caller, token and route. */
export interface IdempotentCall {
  /** The user; the limits of stored responses apply to a user with all tokens. */
  caller: string;
  /** The token of the call and its scopes: another token does not get the stored response. */
  token: string;
  route: string;
  key: string;
}

/** The answer to whether a call with this key is stored. */
interface KnownCalls {
  isKnown(call: IdempotentCall): Promise<boolean>;
}

export interface RepeatedDeletion {
  /**
   * Set when a record of the request does not exist and the caller sent this deletion before: the response is the
   * stored one, otherwise this error.
   */
  repeated?: AppError;
}

/**
 * Lets the repetition of a deletion pass, whose response the client missed and whose records are gone.
 * @param error why the permission was denied, which is thrown in all other cases
 */
export async function passRepeatedDeletion(
  request: Request & RepeatedDeletion,
  actor: Actor,
  keys: KnownCalls,
  error: unknown,
): Promise<void> {
  if (!(error instanceof AppError) || error.status !== 404) throw error;
  const call = findIdempotentCall(request, actor);
  if (!call || !(await keys.isKnown(call))) throw error;
  request.repeated = error;
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
