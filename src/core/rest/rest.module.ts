import { Global, Module } from '@nestjs/common';
import { BodyReader } from './body/body-reader.service.js';
import { RateLimitService } from './rate-limit.service.js';
import { AnswerWriter } from './answer-writer.service.js';
import { IdempotencyClaims } from './idempotency-claims.service.js';
import { IdempotencyKeysStore } from './idempotency-keys.store.js';
import { handlerStages } from './pipeline.js';
import { ReferenceController } from './openapi/reference/reference.controller.js';
import { RouteTable } from './route-table.js';
import { FormUploads } from './form-uploads.service.js';
import { StreamedAnswers } from './streamed-answers.service.js';

/** REST and what both APIs share of a request; `pipeline.ts` has the order of its stages. */
@Global()
@Module({
  controllers: [ReferenceController],
  providers: [
    RouteTable,
    RateLimitService,
    FormUploads,
    BodyReader,
    StreamedAnswers,
    IdempotencyKeysStore,
    IdempotencyClaims,
    ...handlerStages,
  ],
  exports: [RouteTable, RateLimitService, BodyReader, AnswerWriter, IdempotencyKeysStore, IdempotencyClaims],
})
export class RestModule {}
