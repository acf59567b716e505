import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { Actor } from '../core/access/actor.js';
import { Authenticator } from '../core/access/authenticator.js';
import type { AuthenticatedCaller } from '../core/access/access.decorators.js';
import { clientNetwork } from '../core/rest/client-network.js';
import { RateLimitService } from '../core/rest/rate-limit.service.js';
import { findRepeatedHeader, repeatedHeader } from '../core/rest/request-headers.js';
import { assertUrl } from '../core/rest/request-url.js';
import { currentRequest } from '../core/telemetry/request-context.js';
import { readTokenCookie } from './tokens/token-cookie.js';

/** Paths of probes, which need no token and are not rate limited: they must succeed while everything else is refused. */
const PROBE_PATHS = new Set(['/healthz/live', '/healthz/ready']);
/** Authenticated by METRICS_TOKEN, which belongs to no user. */
const METRICS_PATH = '/metrics';

/**
 * The first stage of every request, for known and unknown paths: identifies the caller and counts the call. The guards then decide
 * whether the route requires a caller. The body is read only after both have passed.
 */
@Injectable()
export class AuthenticationMiddleware {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly limit: RateLimitService,
  ) {}

  /** The middleware in the form that Express expects. A request with a cached token continues synchronously. */
  readonly use = (request: Request, response: Response, next: NextFunction): void => {
    const pending = this.authenticateAndCount(request, response);
    if (pending) pending.then(() => next(), next);
    else next();
  };

  /** @returns a promise to wait for; undefined when the result is known already */
  private authenticateAndCount(request: Request & AuthenticatedCaller, response: Response): void | Promise<void> {
    if (PROBE_PATHS.has(request.path)) return;
    const repeated = findRepeatedHeader(request);
    const cookie = readTokenCookie(request.headers);
    if (cookie !== undefined) request.headers.authorization = `Bearer ${cookie}`;
    const hasToken = request.headers.authorization !== undefined && request.path !== METRICS_PATH;
    const pending = hasToken && repeated !== 'authorization' ? this.authenticate(request) : undefined;
    if (pending) return pending.then(() => this.count(request, response, repeated));
    return this.count(request, response, repeated);
  }

  private count(request: Request, response: Response, repeated: string | undefined): void | Promise<void> {
    const pending = this.limit.consume(request, response);
    if (pending) return pending.then(() => assertSound(request, repeated));
    assertSound(request, repeated);
  }

  private authenticate(request: Request & AuthenticatedCaller): void | Promise<void> {
    const fail = (error: Error): void => void (request.authenticationError = error);
    try {
      const found = this.authenticator.authenticate(request, () => clientNetwork(request.ip));
      if (found instanceof Promise) return found.then((actor) => setActor(request, actor), fail);
      setActor(request, found);
    } catch (error) {
      fail(error as Error);
    }
  }
}

function setActor(request: AuthenticatedCaller, actor: Actor): void {
  request.actor = actor;
  const current = currentRequest();
  if (current) current.actor = current.caller = actor;
}

function assertSound(request: Request, repeated: string | undefined): void {
  if (repeated !== undefined) throw repeatedHeader(repeated);
  assertUrl(request);
}
