import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import { ConsoleMiddleware } from './console/console.middleware.js';
import { AuthenticationMiddleware } from './auth/authentication.middleware.js';
import type { Env } from './core/config/env.js';
import { setErrorReference } from './core/errors/problem.js';
import { GraphqlMiddleware } from './core/graphql/graphql.middleware.js';
import { GRAPHQL_PATH } from './core/graphql/sockets/upgrade.js';
import { serveOpenApiDocument } from './core/rest/openapi/serve-openapi-document.js';
import { useMiddleware } from './core/rest/pipeline.js';
import { accessLogMiddleware } from './core/telemetry/access-log.js';
import { getLogger, NestLogger, withoutRedaction } from './core/telemetry/logger.js';
import { Metrics } from './core/telemetry/metrics.service.js';
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
  const logger = getLogger(env);
  const adapter = new HttpListenerAdapter(listener);
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(env, databaseUrl), adapter, {
    bodyParser: false,
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', parseTrustProxy(env.TRUST_PROXY));
  app.set('query parser', 'simple');
  setErrorReference(env.baseUrl);
  setPathPrefix(app);
  const graphql = app.get(GraphqlMiddleware);
  useMiddleware(app, {
    accessLog: accessLogMiddleware(withoutRedaction(logger), app.get(Metrics), [GRAPHQL_PATH]),
    serveConsole: app.get(ConsoleMiddleware).serve(OUTSIDE_PREFIX),
    authenticate: app.get(AuthenticationMiddleware).use,
    graphql: { path: GRAPHQL_PATH, use: graphql.use, handleError: graphql.handleError },
    corsOrigins: env.CORS_ORIGINS,
    isOverTls: env.baseUrl.startsWith('https:'),
    apiVersion: VERSION.api,
    isServed: (path) => path.startsWith(`/${API_PREFIX}/`) || OUTSIDE_PREFIX.includes(path),
  });
  serveOpenApiDocument(app, env.baseUrl);
  return app;
}

function parseTrustProxy(setting: string): boolean | number | string {
  if (setting === 'true' || setting === 'false') return setting === 'true';
  return /^\d+$/.test(setting) ? Number(setting) : setting;
}

/** The URL at which callers reach the application. */
export async function getAppUrl(app: INestApplication): Promise<string> {
  return (await app.getUrl()).replace('[::1]', 'localhost');
}
