import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Authenticator } from '../core/access/authenticator.js';
import type { Authenticated } from '../core/access/public.js';
import { CallLimit } from '../core/rest/call-limit.js';
import { checkAddress } from '../core/rest/sound-address.js';
import { currentRequest } from '../core/telemetry/request-context.js';

/** Paths that are neither counted nor asked for a token: probes must pass while all else is refused. */
const PROBES = new Set(['/healthz/live', '/healthz/ready']);
/** Its token is METRICS_TOKEN, which stands for nobody. */
const METRICS = '/metrics';

/**
 * The first stage of every request, known path or not: finds the caller and counts the call. The guards decide afterwards
 * whether the route needs a caller; no stage reads the body before both have passed.
 */
@Injectable()
export class Admission {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly limit: CallLimit,
  ) {}

  async admit(request: Request & Authenticated, response: Response): Promise<void> {
    if (PROBES.has(request.path)) return;
    if (request.headers.authorization !== undefined && request.path !== METRICS) await this.identify(request);
    await this.limit.count(request, response);
    checkAddress(request);
  }

  /** As a middleware of Express. */
  readonly use = (request: Request, response: Response, next: NextFunction): void => {
    this.admit(request, response).then(() => next(), next);
  };

  private async identify(request: Request & Authenticated): Promise<void> {
    try {
      request.actor = await this.authenticator.authenticate(request.headers.authorization);
      const current = currentRequest();
      if (current) current.actor = request.actor;
    } catch (error) {
      request.refused = error as Error;
    }
  }
}
