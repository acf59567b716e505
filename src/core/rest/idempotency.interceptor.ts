import { type CallHandler, type ExecutionContext, Injectable, Logger, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { catchError, mergeMap, type Observable, of } from 'rxjs';
import { IS_PUBLIC, isMarked } from '../access/public.js';
import { type AppError, InvalidRequest } from '../errors/app-error.js';
import { asAppError, problemOf } from '../errors/problem.js';
import { currentRequest } from '../telemetry/request-context.js';
import type { ReadRequest } from './body/body-reader.js';
import { type Answer, IdempotencyKeys } from './idempotency-keys.js';
import { filesOf } from './upload.js';
import { WrittenJson } from './written-json.js';

const KEPT_HEADERS = ['content-type', 'location', 'etag', 'cache-control'];
/** Refusals of the caller and not of the work, so that trying again under the same key makes sense. */
const NOT_KEPT = new Set([401, 403, 404, 429]);

/** Writes with an `Idempotency-Key` are done once: the same call again is answered with what the first one was. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly logger = new Logger('Idempotency');

  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly reflector: Reflector,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<ReadRequest>();
    const key = context.getType() === 'http' ? request.headers['idempotency-key'] : undefined;
    if (key === undefined || request.method === 'GET' || request.method === 'HEAD' || !request.actor)
      return next.handle();
    if (isMarked(this.reflector, IS_PUBLIC, context)) return next.handle();
    if (typeof key !== 'string' || key.length === 0 || key.length > 255)
      throw InvalidRequest.at('Idempotency-Key', 'must have 1 to 255 characters');
    const response = context.switchToHttp().getResponse<Response>();
    const call = await this.keys.begin({
      caller: request.actor.userId ?? request.actor.name,
      token: [request.actor.sessionId, ...request.actor.scopes].join(' '),
      route: `${request.method} ${request.originalUrl}`,
      key,
      body: request.bodyDigest ?? '',
      files: filesOf(request).map((file) => file.buffer),
    });
    if (call.earlier) return of(replay(response, call.earlier));
    // An answer that cannot be kept leaves the claim: the work is done, and must not be done again.
    const keep = (answer: Answer): Promise<void> =>
      call.finish(answer).catch((error: unknown) => this.logger.warn(error, 'an answer was not kept under its key'));
    return next.handle().pipe(
      catchError(async (thrown: unknown) => {
        const error = asAppError(thrown);
        if (error.status >= 500 || NOT_KEPT.has(error.status)) await call.forget().catch(() => undefined);
        else await keep(refusalOf(error));
        throw thrown;
      }),
      mergeMap(async (body: unknown) => {
        await keep(answerOf(response, body));
        return body;
      }),
    );
  }
}

function refusalOf(error: AppError): Answer {
  const problem = problemOf(error, currentRequest()?.requestId ?? '');
  const headers = { 'content-type': 'application/problem+json; charset=utf-8' };
  return { status: error.status, headers, body: JSON.stringify(problem) };
}

function answerOf(response: Response, body: unknown): Answer {
  const headers: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = response.getHeader(name);
    if (value !== undefined) headers[name] = String(value);
  }
  return { status: response.statusCode, headers, body: textOf(body) };
}

function textOf(body: unknown): string {
  if (body instanceof WrittenJson) return Buffer.concat(body.pieces).toString();
  return typeof body === 'string' ? body : '';
}

function replay(response: Response, answer: Answer): string {
  response.status(answer.status).set(answer.headers).set('Idempotency-Replayed', 'true');
  return answer.body;
}
