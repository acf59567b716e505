import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Authenticator } from '../core/access/authenticator.js';
import type { AuthenticatedCaller } from '../core/access/access.decorators.js';
import { clientNetwork } from '../core/rest/client-network.js';
import { RateLimitService } from '../core/rest/rate-limit.service.js';
import { findRepeatedHeader, repeatedHeader } from '../core/rest/request-headers.js';
import { assertUrl } from '../core/rest/request-url.js';
import { currentRequest } from '../core/telemetry/request-context.js';

/** Paths that are neither counted nor need a token: probes must succeed while everything else is refused. */
const PROBE_PATHS = new Set(['/healthz/live', '/healthz/ready']);
/** Its token is METRICS_TOKEN, which belongs to no user. */
const METRICS_PATH = '/metrics';

/**
 * The first stage of every request, known path or not: identifies the caller and counts the call. The guards then decide
 * whether the route needs a caller; no stage reads the body before both have passed.
 */
@Injectable()
export class AuthenticationMiddleware {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly limit: RateLimitService,
  ) {}

  async authenticateAndCount(request: Request & AuthenticatedCaller, response: Response): Promise<void> {
    if (PROBE_PATHS.has(request.path)) return;
    const repeated = findRepeatedHeader(request);
    const hasToken = request.headers.authorization !== undefined && request.path !== METRICS_PATH;
    if (hasToken && repeated !== 'authorization') await this.authenticate(request);
    await this.limit.consume(request, response);
    if (repeated !== undefined) throw repeatedHeader(repeated);
    assertUrl(request);
  }

  /** This middleware in the form that Express expects. */
  readonly use = (request: Request, response: Response, next: NextFunction): void => {
    this.authenticateAndCount(request, response).then(() => next(), next);
  };

  private async authenticate(request: Request & AuthenticatedCaller): Promise<void> {
    try {
      request.actor = await this.authenticator.authenticate(request, () => clientNetwork(request.ip));
      const current = currentRequest();
      if (current) current.actor = current.caller = request.actor;
    } catch (error) {
      request.authenticationError = error as Error;
    }
  }
}
