import type { NextFunction, Request, Response } from 'express';

/** Deprecated paths, and the path that replaces each. */
const DEPRECATED_PATHS: readonly (readonly [RegExp, string])[] = [
  [/^\/api\/registry(?=\/|$)/, '/api/meshmodels'],
  [/^\/api\/system\/events(?=\/|$)/, '/api/events'],
  [/^\/api\/user\/performance(?=\/|$)/, '/api/performance'],
  [/^\/api\/events\/subscribe$/, '/api/events/stream'],
];
const DEPRECATED_SINCE = new Date('2026-11-22T00:00:00Z');
const SUNSET = new Date('2027-11-22T00:00:00Z');

/** Adds the headers of deprecated paths: Deprecation, Sunset and a link to the successor (RFC 9745, RFC 8594). */
export function markDeprecatedPaths(request: Request, response: Response, next: NextFunction): void {
  const deprecated = DEPRECATED_PATHS.find(([path]) => path.test(request.path));
  if (deprecated) {
    response.setHeader('Deprecation', `@${DEPRECATED_SINCE.getTime() / 1000}`);
    response.setHeader('Sunset', SUNSET.toUTCString());
    response.setHeader('Link', `<${request.path.replace(...deprecated)}>; rel="successor-version"`);
  }
  next();
}
