import { type INestApplication, NotFoundException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import { AppModule } from './app.module.js';
import { ConsoleMiddleware } from './console/console.middleware.js';
import { AuthenticationMiddleware } from './auth/authentication.middleware.js';
import type { Env } from './core/config/env.js';
import { setErrorReference } from './core/errors/problem.js';
import { GraphqlMiddleware } from './core/graphql/graphql.middleware.js';
import { GRAPHQL_PATH } from './core/graphql/sockets/upgrade.js';
import { compressBodies } from './core/rest/compression.js';
import { RouteTable } from './core/rest/route-table.js';
import { limitConnections } from './core/rest/connection-limits.js';
import { serveOpenApiDocument } from './core/rest/openapi/serve-openapi-document.js';
import { markDeprecatedPaths } from './core/rest/deprecated-paths.js';
import { refuseUnknownFraming } from './core/rest/request-framing.js';
import { runHandlerStepsAtOnce } from './core/rest/handler-steps.js';
import { constantHeaders, inOrder } from './core/rest/middleware.js';
import { accessLogMiddleware } from './core/telemetry/access-log.js';
import { getLogger, NestLogger, withoutRedaction } from './core/telemetry/logger.js';
import { Metrics } from './core/telemetry/metrics.service.js';
import { requestContextMiddleware } from './core/telemetry/request-context.js';
import { HttpListenerAdapter, type HttpListener } from './core/lifecycle/http-listener.js';
import { VERSION } from './health/version.js';

/** The prefix of all REST paths, except the first page, health, metrics and the command line. */
const API_PREFIX = 'api';
const OUTSIDE_PREFIX = [
  '/',
  '/healthz/live',
  '/healthz/ready',
  '/metrics',
  '/download/armature',
  '/download/armature.sha256',
];

/** Sets the prefix of the paths of all controllers, in the server and in the API documents. */
export function setPathPrefix(app: INestApplication): void {
  app.setGlobalPrefix(API_PREFIX, { exclude: OUTSIDE_PREFIX });
}

/**
 * Creates and configures the application, for the server and the tests.
 * @param listener an open listener to serve on; without one the caller opens it
 */
export async function createApp(
  env: Env,
  databaseUrl: string,
  listener?: HttpListener,
): Promise<NestExpressApplication> {
  runHandlerStepsAtOnce();
  const logger = getLogger(env);
  const adapter = new HttpListenerAdapter(listener);
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(env, databaseUrl), adapter, {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.disable('etag');
  trustProxy(app, parseTrustProxy(env.TRUST_PROXY));
  app.set('query parser', 'simple');
  setErrorReference(env.baseUrl);
  setPathPrefix(app);
  compressBodies((app.getHttpAdapter().getInstance() as { response: Response }).response);
  const accessLog = accessLogMiddleware(withoutRedaction(logger), app.get(Metrics), [GRAPHQL_PATH]);
  app.use(inOrder(requestContextMiddleware, accessLog));
  if (env.CORS_ORIGINS.length > 0) enableCors(app, env.CORS_ORIGINS);
  app.use(
    inOrder(
      createSecurityHeaders(env.baseUrl.startsWith('https:')),
      refuseUnknownFraming,
      markDeprecatedPaths,
      app.get(ConsoleMiddleware).serve(OUTSIDE_PREFIX),
      app.get(AuthenticationMiddleware).use,
      app.get(RouteTable).servePatchAsPut,
      answerPreflight,
      refuseOtherPaths,
    ),
  );
  const graphql = app.get(GraphqlMiddleware);
  app.use(GRAPHQL_PATH, graphql.use);
  app.use(GRAPHQL_PATH, graphql.handleError);
  limitConnections(app.getHttpServer());
  serveOpenApiDocument(app, env.baseUrl);
  return app;
}

function enableCors(app: INestApplication, origins: string[]): void {
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
const createSecurityHeaders = (overTls: boolean): RequestHandler =>
  constantHeaders(
    helmet({
      contentSecurityPolicy: { directives: { ...(overTls ? {} : { 'upgrade-insecure-requests': null }) } },
      strictTransportSecurity: overTls,
    }),
    (_request, response, next) => {
      response.setHeader('API-Version', VERSION.api);
      next();
    },
  );

/** NestJS handles unknown paths only below the prefix; this answers 404 to all others. */
function refuseOtherPaths({ method, path }: Request, _response: Response, next: NextFunction): void {
  const isServed = path.startsWith(`/${API_PREFIX}/`) || OUTSIDE_PREFIX.includes(path);
  next(isServed ? undefined : new NotFoundException(`Cannot ${method} ${path}`));
}

/** Answers preflight requests, after the CORS middleware has set their headers and the rate limit has counted them. */
function answerPreflight(request: Request, response: Response, next: NextFunction): void {
  if (request.method !== 'OPTIONS' || !response.hasHeader('Access-Control-Allow-Methods')) return next();
  response.status(204).set('Content-Length', '0').end();
}

/** Sets Express's `trust proxy`. Without a trusted proxy, `request.ip` is the address of the socket, and no header is read. */
function trustProxy(app: NestExpressApplication, trusted: boolean | number | string): void {
  app.set('trust proxy', trusted);
  if (trusted !== false) return;
  const { request } = app.getHttpAdapter().getInstance();
  Object.defineProperty(request, 'ip', {
    configurable: true,
    get(this: Request) {
      return this.socket.remoteAddress;
    },
  });
}

function parseTrustProxy(setting: string): boolean | number | string {
  if (setting === 'true' || setting === 'false') return setting === 'true';
  return /^\d+$/.test(setting) ? Number(setting) : setting;
}

/** The URL at which callers reach the application. */
export async function getAppUrl(app: INestApplication): Promise<string> {
  return (await app.getUrl()).replace('[::1]', 'localhost');
}
