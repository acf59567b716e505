import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import compression from 'compression';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import { Admission } from './auth/admission.js';
import type { Env } from './core/config/env.js';
import { GraphqlEntry } from './core/graphql/graphql-entry.js';
import { GRAPHQL_PATH } from './core/graphql/sockets/upgrade.js';
import { boundConnections } from './core/rest/connections.js';
import { serveReference } from './core/rest/reference.js';
import { accessLog } from './core/telemetry/access-log.js';
import { LOGGER, NestLogger } from './core/telemetry/logging.js';
import { Metrics } from './core/telemetry/metrics.js';
import { requestContext } from './core/telemetry/request-context.js';
import { DoorAdapter, type FrontDoor } from './core/lifecycle/front-door.js';
import { VERSION } from './health/version.js';

/**
 * Makes the application for these settings and sets up what main and the tests share.
 * @param door where it is to serve; without one the caller lets it listen
 */
export async function makeApp(env: Env, databaseUrl: string, door?: FrontDoor): Promise<NestExpressApplication> {
  const adapter = door ? new DoorAdapter(door) : new ExpressAdapter();
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(env, databaseUrl), adapter, {
    bodyParser: false,
    bufferLogs: true,
    abortOnError: false,
  });
  const logger = app.get<Logger>(LOGGER);
  app.useLogger(new NestLogger(logger));
  app.flushLogs();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', trusted(env.TRUST_PROXY));
  app.set('query parser', 'simple');
  app.use(requestContext);
  app.use(accessLog(logger, app.get(Metrics)));
  app.enableCors({
    origin: env.CORS_ORIGINS.length === 0 ? false : env.CORS_ORIGINS.includes('*') ? '*' : env.CORS_ORIGINS,
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
    ],
    maxAge: 600,
    preflightContinue: true,
  });
  const overTls = env.baseUrl.startsWith('https:');
  app.use(
    helmet({
      contentSecurityPolicy: { directives: { ...(overTls ? {} : { 'upgrade-insecure-requests': null }) } },
      strictTransportSecurity: overTls,
    }),
  );
  app.use((_request: Request, response: Response, next: NextFunction) => {
    response.setHeader('API-Version', VERSION.api);
    next();
  });
  app.use(compression({ threshold: 1024 }));
  app.use(app.get(Admission).use);
  app.use(preflight);
  const graphql = app.get(GraphqlEntry);
  app.use(GRAPHQL_PATH, graphql.use);
  app.use(GRAPHQL_PATH, graphql.refuse);
  boundConnections(app.getHttpServer());
  serveReference(app, env);
  return app;
}

/** Answers preflights, whose headers the CORS middleware has set, once they are counted. */
function preflight(request: Request, response: Response, next: NextFunction): void {
  if (request.method !== 'OPTIONS' || !response.hasHeader('Access-Control-Allow-Methods')) return next();
  response.status(204).set('Content-Length', '0').end();
}

function trusted(setting: string): boolean | number | string {
  if (setting === 'true' || setting === 'false') return setting === 'true';
  return /^\d+$/.test(setting) ? Number(setting) : setting;
}

/** Where the application listens, as callers reach it. */
export async function addressOf(app: INestApplication): Promise<string> {
  return (await app.getUrl()).replace('[::1]', 'localhost');
}
