import { type CallHandler, type ExecutionContext, Injectable, Logger, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { catchError, mergeMap, type Observable, of } from 'rxjs';
import { IS_PUBLIC, hasMetadata } from '../access/access.decorators.js';
import type { AppError } from '../errors/app-error.js';
import { toAppError, toProblem, type Problem } from '../errors/problem.js';
import { currentRequest, noteFailure } from '../telemetry/request-context.js';
import type { RequestWithBody } from './body/body-reader.service.js';
import { IdempotencyClaims } from './idempotency-claims.service.js';
import { ANSWER_LOST, type StoredResponse } from './idempotency-keys.store.js';
import { findIdempotentCall, type RepeatedDeletion } from './idempotent-call.js';
import { AnswerWriter } from './answer-writer.service.js';
import { getFormFiles } from './form-uploads.service.js';
import { SerializedJson } from './serialized-json.js';

const STORED_HEADERS = ['content-type', 'location', 'etag', 'cache-control'];
/** Statuses that are not stored: they reject the caller, so a retry under the same key may succeed. */
const UNSTORED_STATUSES = new Set([401, 403, 404, 429]);

/** Runs a write with an `Idempotency-Key` once; repetitions get the stored response. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly logger = new Logger('Idempotency');

  constructor(
    private readonly keys: IdempotencyClaims,
    private readonly answers: AnswerWriter,
    private readonly reflector: Reflector,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<RequestWithBody & RepeatedDeletion>();
    const { actor } = request;
    if (context.getType() !== 'http' || request.method === 'GET' || request.method === 'HEAD' || !actor)
      return next.handle();
    if (hasMetadata(this.reflector, IS_PUBLIC, context)) return next.handle();
    const identity = findIdempotentCall(request, actor);
    if (!identity) return next.handle();
    const response = context.switchToHttp().getResponse<Response>();
    const asked = {
      ...identity,
      body: request.bodyDigest ?? '',
      files: getFormFiles(request).map((file) => file.buffer),
    };
    const call = await this.keys.claim(asked).catch((error: AppError) => {
      // For a repeated deletion whose response was lost, `request.repeated` shows that the record is gone.
      throw error.code === ANSWER_LOST ? (request.repeated ?? error) : error;
    });
    if (call.earlier) return of(replay(response, call.earlier));
    if (request.repeated) {
      await call.remove();
      throw request.repeated;
    }
    // When the response cannot be stored, the claim remains, so that the work is not repeated.
    const keep = (answer: StoredResponse): Promise<void> =>
      call
        .finish(answer)
        .catch((error: unknown) => this.logger.warn(error, 'a response could not be stored for its Idempotency-Key'));
    return next.handle().pipe(
      mergeMap((body: unknown) => Promise.resolve(this.answers.write(request, response, body))),
      catchError(async (thrown: unknown) => {
        const error = toAppError(thrown);
        if (error.status >= 500 || UNSTORED_STATUSES.has(error.status))
          await call.remove(thrown).catch(() => undefined);
        else await keep(toErrorResponse(error));
        throw thrown;
      }),
      mergeMap(async (body: unknown) => {
        await keep(toStoredResponse(response, body));
        return body;
      }),
    );
  }
}

function toErrorResponse(error: AppError): StoredResponse {
  const problem = toProblem(error, currentRequest()?.requestId ?? '');
  const headers = { 'content-type': 'application/problem+json; charset=utf-8' };
  return { status: error.status, headers, body: JSON.stringify(problem) };
}

function toStoredResponse(response: Response, body: unknown): StoredResponse {
  const headers: Record<string, string> = {};
  for (const name of STORED_HEADERS) {
    const value = response.getHeader(name);
    if (value !== undefined) headers[name] = String(value);
  }
  return { status: response.statusCode, headers, body: bodyText(body) };
}

function bodyText(body: unknown): string {
  if (body instanceof SerializedJson) return Buffer.concat(body.pieces).toString();
  return typeof body === 'string' ? body : '';
}

function replay(response: Response, answer: StoredResponse): string {
  if (answer.status >= 400) noteFailure(JSON.parse(answer.body) as Problem);
  response.status(answer.status).set(answer.headers).set('Idempotency-Replayed', 'true');
  return answer.body;
}
