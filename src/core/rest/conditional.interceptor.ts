import { createHash } from 'node:crypto';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { map, type Observable } from 'rxjs';
import { revisionOf } from '../schema/record.view.js';

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
    return next.handle().pipe(map((body) => answer(request, response, body)));
  }
}

/** The same for a route that writes its answer itself. */
export function sendConditional(request: Request, response: Response, body: object): void {
  response.send(answer(request, response, body));
}

function answer(request: Request, response: Response, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || body instanceof StreamableFile || response.headersSent) return body;
  const text = JSON.stringify(body);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  const revision = revisionOf(body);
  const reading = request.method === 'GET' || request.method === 'HEAD';
  if (!reading && revision === undefined) return text;
  const digest = createHash('sha1').update(text).digest('base64url').slice(0, 16);
  const tag = revision === undefined ? `W/"${digest}"` : `"${revision}-${digest}"`;
  response.setHeader('ETag', tag);
  if (!reading) return text;
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'private, no-cache');
  response.setHeader('Vary', 'Authorization');
  if (!matches(request.headers['if-none-match'], tag)) return text;
  response.status(304);
  return undefined;
}

/** Whether If-None-Match names the tag; tags compare weakly there (RFC 9110, 13.1.2). */
export function matches(header: string | undefined, tag: string): boolean {
  const bare = (text: string) => text.trim().replace(/^W\//, '');
  return (
    header !== undefined && (header.trim() === '*' || header.split(',').some((given) => bare(given) === bare(tag)))
  );
}
