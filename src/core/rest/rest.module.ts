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
 * What every REST route has. The stages of a request, in this order, none of which runs before the one above has passed:
 * 1. middleware (app.setup.ts): request id, access log, security headers, authentication (finds the caller, counts the call);
 * 2. guards: AuthGuard (is a caller needed?), then the rights to the route and to the records in its path;
 * 3. BodyGuard reads the body, then judges the rights to records that the body names;
 * 4. IdempotencyInterceptor, on routes that write, answers again what was answered before, or lets pass;
 * 5. InputPipe checks the content of query and body; the handler;
 * 6. AnswerWriter writes the answer, its ETag and the address of what was created.
 * Routes that read have no interceptor, which would cost them more than all of their own work. GraphQL has the same order, its
 * fields being behind GraphqlEntry.
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
