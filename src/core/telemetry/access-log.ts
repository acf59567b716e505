import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import type { AuthenticatedCaller } from '../access/access.decorators.js';
import type { Metrics } from './metrics.service.js';
import { currentRequest } from './request-context.js';

/** Counts and logs every answer: the route and the status, never a query or a body, for these may hold secrets. */
export function accessLogMiddleware(logger: Logger, metrics: Metrics) {
  return (request: Request & AuthenticatedCaller, response: Response, next: NextFunction): void => {
    const started = performance.now();
    const context = currentRequest();
    response.once('close', () => {
      const seconds = (performance.now() - started) / 1000;
      const route = (request.route as { path?: string } | undefined)?.path ?? 'none';
      metrics.requests.observe({ method: request.method, route, status: response.statusCode }, seconds);
      const level = response.statusCode >= 500 ? 'warn' : route.startsWith('/healthz') ? 'debug' : 'info';
      if (!logger.isLevelEnabled(level)) return;
      logger[level](
        {
          request_id: context?.requestId,
          user_id: context?.actor?.userId ?? undefined,
          method: request.method,
          path: redactedPath(request),
          status: response.statusCode,
          ms: Math.round(seconds * 1000),
          ...(response.writableFinished ? {} : { aborted: true }),
        },
        'request',
      );
    });
    next();
  };
}

/** The path as the log may tell it: where a secret is a part of it, the route stands in its place. */
export function redactedPath(request: Request): string {
  const route = (request.route as { path?: string } | undefined)?.path;
  return route?.includes(':token') ? route : request.path;
}
