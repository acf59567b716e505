import { type CanActivate, type Provider, RequestMethod, type Type, UseInterceptors } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import { compressBodies } from '../patches/express/compression.js';
import { runHandlerStepsAtOnce } from '../patches/nestjs/handler-steps.js';
import { requestContextMiddleware } from '../telemetry/request-context.js';
import { AnswerWriter } from './answer-writer.service.js';
import { BodyGuard } from './body/body.guard.js';
import { limitConnections } from './connection-limits.js';
import { markDeprecatedPaths } from './deprecated-paths.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { InputPipe } from './input.pipe.js';
import { answerPreflight, enableCors, inOrder, refuseUnservedPaths, securityHeaders } from './middleware.js';
import { ProblemFilter } from './problem.filter.js';
import { refuseUnknownFraming } from './request-framing.js';
import { RightsGuard } from './rights/rights.guard.js';
import { RouteTable } from './route-table.js';

// What happens to a request, in this order. Each stage requires that those before it passed: rights before content,
// and what is cheap before what costs. An error of any stage goes to the last one, `ProblemFilter`.

/** What the application adds to the stages of this folder. */
export interface PipelineParts {
  accessLog: RequestHandler;
  serveConsole: RequestHandler;
  authenticate: RequestHandler;
  /** The GraphQL API: a path, what happens before Apollo there, and its errors. */
  graphql: { path: string; use: RequestHandler; handleError: Parameters<NestExpressApplication['use']>[0] };
  corsOrigins: string[];
  isOverTls: boolean;
  apiVersion: string;
  isServed: (path: string) => boolean;
}

/** The first stages: every path, before the router. Call it before the application is initialized. */
export function useMiddleware(app: NestExpressApplication, parts: PipelineParts): void {
  // Guards and pipes that need not wait do not.
  runHandlerStepsAtOnce();
  // The time of a connection, before anything of a request is known.
  limitConnections(app.getHttpServer());
  // Every response, also of a stage that refuses.
  compressBodies(app.getHttpAdapter().getInstance());
  app.use(
    inOrder(
      // The id under which all later stages log and fail.
      requestContextMiddleware,
      // Also what is refused is logged and counted.
      parts.accessLog,
    ),
  );
  // Before all that may refuse: without these headers a page cannot read why.
  if (parts.corsOrigins.length > 0) enableCors(app, parts.corsOrigins);
  app.use(
    inOrder(
      securityHeaders({ isOverTls: parts.isOverTls, apiVersion: parts.apiVersion }),
      // Where a body ends is certain before anything is read.
      refuseUnknownFraming,
      markDeprecatedPaths,
      // Its pages are public, and one asks for a dozen files: before anything is counted.
      parts.serveConsole,
      // Who calls, then whether they may call now: unknown paths count too.
      parts.authenticate,
      app.get(RouteTable).servePatchAsPut,
      // After the rate limit has counted it.
      answerPreflight,
      refuseUnservedPaths(parts.isServed),
    ),
  );
  // Apollo is a middleware: what guards do for REST happens before it.
  app.use(parts.graphql.path, parts.graphql.use);
  app.use(parts.graphql.path, parts.graphql.handleError);
}

/** The guards, when the route is known. */
export const guards = (AuthGuard: Type<CanActivate>): Provider[] =>
  // A route that is not public needs a caller; then the token, the visibility of the record in the path and the role;
  // then the body is parsed, and rights on what it names are checked.
  [AuthGuard, RightsGuard, BodyGuard].map((useClass) => ({ provide: APP_GUARD, useClass }));

/**
 * A write with an `Idempotency-Key` gets the stored response of the first call, or goes on. Reads have no interceptor,
 * because its overhead exceeds their own work. A decorator of methods, above the one of the route.
 */
export const onceForIdempotencyKey: MethodDecorator = (target, key, descriptor: PropertyDescriptor) => {
  const isRead = Reflect.getMetadata(METHOD_METADATA, descriptor.value as object) === RequestMethod.GET;
  if (!isRead) UseInterceptors(IdempotencyInterceptor)(target, key, descriptor);
};

/** The last stages, around the handler. */
export const handlerStages: Provider[] = [
  // Query and body become the inputs of the handler, with all their faults together.
  { provide: APP_PIPE, useClass: InputPipe },
  // Here the handler runs: one call of a service, which checks rights again in its transaction.
  // What it returns becomes the response, with ETag and Location.
  AnswerWriter,
  // Every error becomes a problem document (RFC 9457).
  { provide: APP_FILTER, useClass: ProblemFilter },
];
