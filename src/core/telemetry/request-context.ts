import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import type { Actor } from '../access/actor.js';
import { InFlightResponse } from './in-flight-response.js';

/** The origin of a request. */
export interface RequestOrigin {
  via: 'rest' | 'graphql' | 'socket' | 'job' | 'command';
  /** The IP address of the caller, determined through trusted proxies. */
  address?: string;
  userAgent?: string;
}

/** The record on which a permission was checked. */
export interface JudgedRecord {
  type: string;
  id: string;
  organizationId: string;
}

/** A statement that runs in every writing transaction of a request. */
export interface ChangeStatement {
  text: string;
  values: unknown[];
  /** Maps its error to one for callers. */
  rethrow: (error: unknown) => never;
  isOver: boolean;
}

/** The context of the current request or job. */
export interface RequestContext {
  requestId: string;
  actor?: Actor;
  /** The actor of the request's token, also while code runs as the system. */
  caller?: Actor;
  origin?: RequestOrigin;
  /** The operation id of the route. */
  operation?: string;
  /** The record of the last permission check, passed or not. */
  judged?: JudgedRecord;
  /** Sent with the COMMIT of each transaction that writes. */
  withCommit?: ChangeStatement;
  /** The response in progress. */
  response?: InFlightResponse;
  /** The operation that a job of a user is. */
  operationId?: string;
  /** The user who requested the work of a job. */
  onBehalfOf?: string;
  /** The unvalidated organization in the query of a request with a body. */
  organizationInQuery?: unknown;
  /** The organization of the record whose permission check passed last. */
  organizationId?: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

export const currentRequest = (): RequestContext | undefined => storage.getStore();

/** Runs work outside of HTTP requests (a socket message, a job) with a request context of its own. */
export const runInRequestContext = <T>(context: RequestContext, work: () => T): T => storage.run(context, work);

/** Notes why the current request fails, for its line in the log; of several failures the first of the highest status. */
export function noteFailure(failure: { code: string; status?: number; cause?: unknown }): void {
  const response = currentRequest()?.response;
  if (response && (failure.status ?? 0) > (response.failure?.status ?? -1)) response.failure = failure;
}

/** Runs work of the server on behalf of a user; null for nobody other than now. */
export function onBehalfOf<T>(userId: string | null, work: () => T): T {
  const current = storage.getStore();
  return current && userId ? storage.run({ ...current, onBehalfOf: userId }, work) : work();
}

export const generateRequestId = (): string => randomUUID();

/** Returns the full path of a request, including the mount path of its handler. */
export const getRequestPath = ({ originalUrl }: Pick<Request, 'originalUrl'>): string =>
  originalUrl.split(/[?#]/, 1)[0] ?? '';

/** Assigns an id to every request, a valid `X-Request-Id` of the caller or a new one, and sets it in the response. */
export function requestContextMiddleware(request: Request, response: Response, next: NextFunction): void {
  const given = request.headers['x-request-id'];
  const requestId = typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : generateRequestId();
  response.setHeader('X-Request-Id', requestId);
  const answer = new InFlightResponse(() => response.destroy());
  response.on('close', () => answer.close());
  storage.run({ requestId, response: answer, origin: originOf(request, 'rest') }, next);
}

const MAX_USER_AGENT_LENGTH = 256;

export function originOf(
  { ip, headers }: Partial<Pick<Request, 'ip'>> & Pick<Request, 'headers'>,
  via: RequestOrigin['via'],
): RequestOrigin {
  const userAgent = headers['user-agent']?.slice(0, MAX_USER_AGENT_LENGTH);
  // A trusted proxy may forward an X-Forwarded-For of the caller, which can be any text.
  const address = ip && (isIP(ip) === 0 ? 'unknown' : ip);
  return { via, ...(address ? { address } : {}), ...(userAgent ? { userAgent } : {}) };
}
