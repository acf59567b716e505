import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { ProblemFilter } from './problem.filter.js';
import { BodyInterceptor } from './body/body.interceptor.js';
import { BodyReader } from './body/body-reader.service.js';
import { RateLimitService } from './rate-limit.service.js';
import { ConditionalInterceptor } from './conditional.interceptor.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { IdempotencyKeysStore } from './idempotency-keys.store.js';
import { InputPipe } from './input.pipe.js';
import { ReferenceController } from './openapi/reference/reference.controller.js';
import { LocationInterceptor } from './location.interceptor.js';
import { RightsInterceptor } from './rights/rights.interceptor.js';
import { RouteTable } from './route-table.js';
import { FormUploads } from './form-uploads.service.js';

/**
 * What every REST route has. The stages of a request, in this order, none of which runs before the one above has passed:
 * 1. middleware (app.setup.ts): request id, access log, security headers, Admission (finds the caller, counts the call);
 * 2. guards: AuthGuard (is a caller needed?), then the rights to the route and to the records in its path;
 * 3. BodyInterceptor reads the body;
 * 4. the rights to records that the body names;
 * 5. IdempotencyInterceptor answers again what was answered before, or lets pass;
 * 6. ConditionalInterceptor writes the answer, LocationInterceptor the address of what was created;
 * 7. InputPipe checks the content of query and body; the handler.
 * Interceptors run in the order of this list; GraphQL has the same order, its fields being behind GraphqlEntry.
 */
@Global()
@Module({
  controllers: [ReferenceController],
  providers: [
    RouteTable,
    RateLimitService,
    FormUploads,
    BodyReader,
    IdempotencyKeysStore,
    { provide: APP_PIPE, useClass: InputPipe },
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_INTERCEPTOR, useClass: BodyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: RightsInterceptor },
    { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: ConditionalInterceptor },
    { provide: APP_INTERCEPTOR, useClass: LocationInterceptor },
  ],
  exports: [RouteTable, RateLimitService, BodyReader, IdempotencyKeysStore],
})
export class RestModule {}
