import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { ProblemFilter } from '../errors/problem.filter.js';
import { CallLimit } from './call-limit.js';
import { ConditionalInterceptor } from './conditional.interceptor.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { IdempotencyKeys } from './idempotency-keys.js';
import { InputPipe } from './input.pipe.js';
import { RightsInterceptor } from './rights/rights.interceptor.js';
import { RouteTable } from './route-table.js';
import { UploadInterceptor, Uploads } from './upload.js';

/** What every REST route has: inputs checked, failures as problems, ETags, idempotency keys, uploads. */
@Global()
@Module({
  providers: [
    RouteTable,
    CallLimit,
    Uploads,
    UploadInterceptor,
    IdempotencyKeys,
    { provide: APP_PIPE, useClass: InputPipe },
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_INTERCEPTOR, useClass: RightsInterceptor },
    { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: ConditionalInterceptor },
  ],
  exports: [RouteTable, CallLimit, Uploads, UploadInterceptor, IdempotencyKeys],
})
export class RestModule {}
