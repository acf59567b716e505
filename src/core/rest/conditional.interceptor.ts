import { createHash } from 'node:crypto';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { mergeMap, type Observable } from 'rxjs';
import { revisionOf } from '../schema/record.view.js';
import { RevisedAnswer } from './revised-answer.js';

/**
 * Writes JSON answers and their ETags (RFC 9110). The tag of a record is its revision and a digest of what is shown of
 * it: writes compare the revision, reads the whole. A read that names the tag it has is answered 304.
 */
@Injectable()
export class ConditionalInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    return next
      .handle()
      .pipe(
        mergeMap((body: unknown) =>
          body instanceof RevisedAnswer ? revised(request, response, body) : [answer(request, response, body)],
        ),
      );
  }
}

async function revised(request: Request, response: Response, body: RevisedAnswer): Promise<unknown> {
  if (isKnown(request, response, `W/"${body.revision}-${digestOf(request.originalUrl)}"`)) return undefined;
  return body.open();
}

function answer(request: Request, response: Response, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || body instanceof StreamableFile || response.headersSent) return body;
  const text = JSON.stringify(body);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  const revision = revisionOf(body);
  const reading = request.method === 'GET' || request.method === 'HEAD';
  if (!reading && revision === undefined) return text;
  const digest = digestOf(text);
  const tag = revision === undefined ? `W/"${digest}"` : `"${revision}-${digest}"`;
  if (reading) return isKnown(request, response, tag) ? undefined : text;
  response.setHeader('ETag', tag);
  return text;
}

/** Tags the answer of a read; when the caller names this very tag the answer is 304. */
function isKnown(request: Request, response: Response, tag: string): boolean {
  response.setHeader('ETag', tag);
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'private, no-cache');
  response.setHeader('Vary', 'Authorization');
  if (!matches(request.headers['if-none-match'], tag)) return false;
  response.status(304);
  return true;
}

const digestOf = (text: string): string => createHash('sha1').update(text).digest('base64url').slice(0, 16);

/** Whether If-None-Match names the tag; tags compare weakly there (RFC 9110, 13.1.2). */
function matches(header: string | undefined, tag: string): boolean {
  const bare = (text: string) => text.trim().replace(/^W\//, '');
  return (
    header !== undefined && (header.trim() === '*' || header.split(',').some((given) => bare(given) === bare(tag)))
  );
}
