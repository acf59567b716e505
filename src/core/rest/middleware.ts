import { type INestApplication, NotFoundException } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import type { ConstantHeadersResponse } from '../patches/express/http-messages.js';

/** Combines middlewares in this order, so that the router matches the path once for all of them. */
export function inOrder(...handlers: RequestHandler[]): RequestHandler {
  return (request, response, done) => {
    let index = 0;
    const next: NextFunction = (error?: unknown) => {
      const handler = error ? undefined : handlers[index++];
      if (!handler) return done(error);
      try {
        void handler(request, response, next);
      } catch (thrown) {
        done(thrown);
      }
    };
    next();
  };
}

/** Caches headers that are the same for every response; each handler runs once to determine them. */
export function constantHeaders(...handlers: RequestHandler[]): RequestHandler {
  const headers: [string, string][] = [];
  const recorder = {
    setHeader: (name: string, value: string) => headers.push([name, value]),
    removeHeader: () => undefined,
  };
  inOrder(...handlers)({} as Request, recorder as unknown as Response, () => undefined);
  return (_request, response: Response & Partial<ConstantHeadersResponse>, next) => {
    response.constantHeaders = headers;
    next();
  };
}

/** Sets the headers of CORS; preflight requests go on, to be counted. */
export function enableCors(app: INestApplication, origins: string[]): void {
  app.enableCors({
    origin: origins.includes('*') ? '*' : origins,
    exposedHeaders: [
      'ETag',
      'Location',
      'X-Request-Id',
      'Retry-After',
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
      'RateLimit-Policy',
      'API-Version',
      'Content-Disposition',
      'Idempotency-Replayed',
      'WWW-Authenticate',
      'Deprecation',
      'Sunset',
      'Warning',
    ],
    maxAge: 600,
    preflightContinue: true,
  });
}

/** Sets the headers of every response. */
export const securityHeaders = ({
  isOverTls,
  apiVersion,
}: {
  isOverTls: boolean;
  apiVersion: string;
}): RequestHandler =>
  constantHeaders(
    helmet({
      contentSecurityPolicy: { directives: { ...(isOverTls ? {} : { 'upgrade-insecure-requests': null }) } },
      strictTransportSecurity: isOverTls,
    }),
    (_request, response, next) => {
      response.setHeader('API-Version', apiVersion);
      next();
    },
  );

/** NestJS handles unknown paths only below the prefix; this refuses all others with 404. */
export const refuseUnservedPaths =
  (isServed: (path: string) => boolean): RequestHandler =>
  ({ method, path }, _response, next) =>
    next(isServed(path) ? undefined : new NotFoundException(`Cannot ${method} ${path}`));

/** Responds to preflight requests, after the CORS middleware has set their headers and the rate limit has counted them. */
export function answerPreflight(request: Request, response: Response, next: NextFunction): void {
  if (request.method !== 'OPTIONS' || !response.hasHeader('Access-Control-Allow-Methods')) return next();
  response.status(204).set('Content-Length', '0').end();
}
