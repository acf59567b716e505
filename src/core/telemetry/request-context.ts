import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import type { Actor } from '../access/actor.js';
import { InFlightResponse } from './in-flight-response.js';

/** Where a call came from. */
export interface RequestOrigin {
  via: 'rest' | 'graphql' | 'socket' | 'job' | 'command';
  /** Of the caller, behind the proxies that are trusted. */
  address?: string;
  userAgent?: string;
}

/** The record on which the caller's right was judged. */
export interface JudgedRecord {
  type: string;
  id: string;
  organizationId: string;
}

/** What is known about the call that is being served. */
export interface RequestContext {
  requestId: string;
  actor?: Actor;
  /** Whom the token of the call stands for, also while the system works for them. */
  caller?: Actor;
  origin?: RequestOrigin;
  /** The operation that is called, by its name in the interface. */
  operation?: string;
  /** The last record on which a right was judged, whatever came of it. */
  judged?: JudgedRecord;
  /** The answer that a client waits for. */
  response?: InFlightResponse;
  /** The user who asked for what a job does. */
  onBehalfOf?: string;
  /** The organization that the query of a call with a body names, as it was sent. */
  organizationInQuery?: unknown;
  /** Of the record on which the caller's right was judged last. */
  organizationId?: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

export const currentRequest = (): RequestContext | undefined => storage.getStore();

/** Runs work that no HTTP request asked for (a socket message, a job) under a request id of its own. */
export const runInRequestContext = <T>(context: RequestContext, work: () => T): T => storage.run(context, work);

export const generateRequestId = (): string => randomUUID();

/** What precedes the path of a request target in absolute form (RFC 9112, 3.2.2). */
const SCHEME_AND_AUTHORITY = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/** The whole path of a request, also in a handler that is mounted below a part of it. */
export function getRequestPath({ originalUrl }: Pick<Request, 'originalUrl'>): string {
  const target = originalUrl.startsWith('/') ? originalUrl : originalUrl.replace(SCHEME_AND_AUTHORITY, '');
  return target.split(/[?#]/, 1)[0] ?? '';
}

/** Gives every request an id: the caller's `X-Request-Id` when it is sound, else a new one; it is also in the answer. */
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
  // A proxy that is trusted may pass on what the caller wrote into X-Forwarded-For, which is any text.
  const address = ip && (isIP(ip) === 0 ? 'unknown' : ip);
  return { via, ...(address ? { address } : {}), ...(userAgent ? { userAgent } : {}) };
}
