import type { NextFunction, Request, Response } from 'express';

/** Paths kept for the clients that know them, and the path of the same operations that replaces each. */
const DEPRECATED_PATHS: readonly (readonly [RegExp, string])[] = [
  [/^\/api\/registry(?=\/|$)/, '/api/meshmodels'],
  [/^\/api\/system\/events(?=\/|$)/, '/api/events'],
  [/^\/api\/user\/performance(?=\/|$)/, '/api/performance'],
  [/^\/api\/events\/subscribe$/, '/api/events/stream'],
];
const DEPRECATED_SINCE = new Date('2026-11-22T00:00:00Z');
const SUNSET = new Date('2027-11-22T00:00:00Z');

/** Headers of a deprecated path: since when it is deprecated, until when it is served and what replaces it (RFC 9745, RFC 8594). */
export function markDeprecatedPaths(request: Request, response: Response, next: NextFunction): void {
  const deprecated = DEPRECATED_PATHS.find(([path]) => path.test(request.path));
  if (deprecated) {
    response.setHeader('Deprecation', `@${DEPRECATED_SINCE.getTime() / 1000}`);
    response.setHeader('Sunset', SUNSET.toUTCString());
    response.setHeader('Link', `<${request.path.replace(...deprecated)}>; rel="successor-version"`);
  }
  next();
}
