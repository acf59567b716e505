import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import type { AuthenticatedCaller } from '../access/access.decorators.js';
import { truncate } from '../errors/app-error.js';
import type { Metrics } from './metrics.service.js';
import { currentRequest, getRequestPath } from './request-context.js';

/** The NestJS route of unknown paths. */
const UNKNOWN_PATH = '*path';

/** The status in logs of proxies when the client disconnected before the response. */
const CLIENT_CLOSED_REQUEST = 499;
const MAX_CAUSE_LENGTH = 200;

/**
 * Logs every response and records its metrics: route and status, never queries or bodies, which may contain secrets.
 * @param mounted paths that are not NestJS routes; requests below them are counted for them
 */
export function accessLogMiddleware(logger: Logger, metrics: Metrics, mounted: readonly string[]) {
  return (request: Request & AuthenticatedCaller, response: Response, next: NextFunction): void => {
    const started = performance.now();
    const context = currentRequest();
    response.on('close', () => {
      const seconds = (performance.now() - started) / 1000;
      const route = findRoute(request, mounted);
      const status = response.headersSent ? response.statusCode : CLIENT_CLOSED_REQUEST;
      metrics.requests.observe({ method: request.method, route, status }, seconds);
      const failure = context?.response?.failure;
      // An error of GraphQL has a status of its own, which the response does not show.
      const hidden = status < 400 && (failure?.status ?? 0) >= 500;
      const level = hidden ? 'error' : status >= 500 ? 'warn' : route.startsWith('/healthz') ? 'debug' : 'info';
      if (!logger.isLevelEnabled(level)) return;
      logger[level](
        {
          request_id: context?.requestId,
          user_id: request.actor?.userId ?? undefined,
          method: request.method,
          route,
          path: redactedPath(request),
          status,
          ...(status >= 400 || hidden ? describeFailure(failure?.status ?? status, failure) : {}),
          ms: Math.round(seconds * 1000),
          ...(response.writableFinished ? {} : { aborted: true }),
        },
        'request',
      );
    });
    next();
  };
}

/** The code of a failed request, and what the database or another part said where the server is at fault. */
function describeFailure(status: number, { code, cause }: { code?: string; cause?: unknown } = {}): object {
  return {
    code,
    ...(status >= 500 && cause instanceof Error ? { cause: truncate(cause.message, MAX_CAUSE_LENGTH) } : {}),
  };
}

function findRoute(request: Request, mounted: readonly string[]): string {
  const { path: matched = UNKNOWN_PATH } = (request.route ?? {}) as { path?: string };
  if (matched !== UNKNOWN_PATH) return matched;
  const path = getRequestPath(request);
  return mounted.find((each) => path === each || path.startsWith(`${each}/`)) ?? 'none';
}

/** Matches path segments that are as long as a token, and longer than an id. */
const TOKEN_LIKE_SEGMENTS = /[^/]{40,}/g;

/** Returns the path for the log, without path parameters that are secrets; on unknown routes, without segments that may be. */
export function redactedPath(request: Request): string {
  const { path: matched = UNKNOWN_PATH } = (request.route ?? {}) as { path?: string };
  if (matched.includes(':token')) return matched;
  const path = getRequestPath(request);
  return matched === UNKNOWN_PATH ? path.replace(TOKEN_LIKE_SEGMENTS, '[redacted]') : path;
}
