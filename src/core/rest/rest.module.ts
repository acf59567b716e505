import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { ProblemFilter } from './problem.filter.js';
import { BodyReader } from './body/body-reader.service.js';
import { RateLimitService } from './rate-limit.service.js';
import { AnswerWriter } from './answer-writer.service.js';
import { IdempotencyClaims } from './idempotency-claims.service.js';
import { IdempotencyKeysStore } from './idempotency-keys.store.js';
import { InputPipe } from './input.pipe.js';
import { ReferenceController } from './openapi/reference/reference.controller.js';
import { RouteTable } from './route-table.js';
import { FormUploads } from './form-uploads.service.js';
import { StreamedAnswers } from './streamed-answers.service.js';

/**
 * Provides the request pipeline of all REST routes. Its stages run in this order; each requires that the previous
 * ones passed:
 * 1. Middleware (app.setup.ts): request id, access log, security headers, authentication, rate limits.
 * 2. Guards: AuthGuard (is a token required?), then permissions on the route and on the records in its path.
 * 3. BodyGuard parses the body, then checks permissions on records in the body.
 * 4. IdempotencyInterceptor, on routes that write, returns a stored response or continues.
 * 5. InputPipe validates query and body; then the handler runs.
 * 6. AnswerWriter writes the response with its ETag and Location.
 * Routes that read have no interceptor, because its overhead would exceed their own work. GraphQL has the same
 * order, which its middleware (core/graphql) keeps before the fields are resolved.
 */
@Global()
@Module({
  controllers: [ReferenceController],
  providers: [
    RouteTable,
    RateLimitService,
    FormUploads,
    BodyReader,
    AnswerWriter,
    StreamedAnswers,
    IdempotencyKeysStore,
    IdempotencyClaims,
    { provide: APP_PIPE, useClass: InputPipe },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
  exports: [RouteTable, RateLimitService, BodyReader, AnswerWriter, IdempotencyKeysStore, IdempotencyClaims],
})
export class RestModule {}
