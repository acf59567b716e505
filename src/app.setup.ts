import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import compression from 'compression';
import express, { type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import type { Env } from './core/config/env.js';
import { AppError } from './core/errors/app-error.js';
import { asAppError } from './core/errors/problem.js';
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
      'API-Version',
    ],
    maxAge: 600,
  });
  app.use(requestContext);
  app.use(accessLog(logger, app.get(Metrics)));
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
  app.use(onlyKnownBodies);
  app.use(express.json({ limit: env.LIMIT_BODY_BYTES, strict: false }), named);
  serveReference(app, env);
  return app;
}

/** The parser's own errors say more than what the framework would make of them. */
function named(error: unknown, _request: Request, _response: Response, next: NextFunction): void {
  next(asAppError(error));
}

/** A body of a kind that no route takes is refused by its kind, not by what it lacks. */
function onlyKnownBodies(request: Request, _response: Response, next: NextFunction): void {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (!hasBody || request.is(['json', '+json', 'multipart/form-data'])) return next();
  next(
    new AppError(
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      'Unsupported media type',
      `the content type ${request.headers['content-type'] ?? '(none)'} is not taken`,
      {
        remedy: 'Send application/json, or multipart/form-data where a file is taken.',
      },
    ),
  );
}

function trusted(setting: string): boolean | number | string {
  if (setting === 'true' || setting === 'false') return setting === 'true';
  return /^\d+$/.test(setting) ? Number(setting) : setting;
}

/** Where the application listens, as callers reach it. */
export async function addressOf(app: INestApplication): Promise<string> {
  return (await app.getUrl()).replace('[::1]', 'localhost');
}
