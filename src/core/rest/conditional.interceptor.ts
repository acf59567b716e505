import { createHash, type Hash } from 'node:crypto';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { mergeMap, type Observable } from 'rxjs';
import { isMarked } from '../access/public.js';
import { AnswerBudget } from '../answers/answer-budget.js';
import { revisionOf } from '../schema/record.view.js';
import { Turns } from '../turns.js';
import { ANSWERS_SECRET } from './answers-secret.js';
import { RevisedAnswer } from './revised-answer.js';
import { isLarge, weightOf, WrittenJson } from './written-json.js';

/**
 * Writes JSON answers and their ETags (RFC 9110). The tag of a record is its revision and a digest of what is shown of
 * it: writes compare the revision, reads the whole. A read that names the tag it has is answered 304.
 */
@Injectable()
export class ConditionalInterceptor implements NestInterceptor {
  constructor(
    private readonly budget: AnswerBudget,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    if (isMarked(this.reflector, ANSWERS_SECRET, context)) response.setHeader('Cache-Control', 'no-store');
    return next
      .handle()
      .pipe(
        mergeMap((body: unknown) =>
          body instanceof RevisedAnswer
            ? revised(request, response, body)
            : body instanceof StreamableFile && !(body instanceof WrittenJson)
              ? this.file(body)
              : body instanceof WrittenJson || (isRecord(body, response) && isLarge(body))
                ? this.large(request, response, body)
                : [answer(request, response, body)],
        ),
      );
  }

  /** A file that is in memory takes its part of what all answers share. */
  private async file(body: StreamableFile): Promise<StreamableFile> {
    await this.budget.written(body.getHeaders().length ?? 0);
    return body;
  }

  /** The same answer, byte for byte, without holding others up, and within the memory that all answers share. */
  private async large(request: Request, response: Response, body: object): Promise<unknown> {
    await this.budget.written(body instanceof WrittenJson ? body.size : weightOf(body, Number.MAX_SAFE_INTEGER));
    const written = body instanceof WrittenJson ? body : await WrittenJson.of(body);
    const hash = createHash('sha1');
    const turns = new Turns();
    for (const piece of written.pieces) {
      hash.update(piece);
      await turns.take();
    }
    return tagged(request, response, body, () => shortened(hash)) ? written : undefined;
  }
}

async function revised(request: Request, response: Response, body: RevisedAnswer): Promise<unknown> {
  if (isKnown(request, response, `W/"${body.revision}-${digestOf(request.originalUrl)}"`)) return undefined;
  return body.open();
}

function answer(request: Request, response: Response, body: unknown): unknown {
  if (!isRecord(body, response)) return body;
  const text = JSON.stringify(body);
  return tagged(request, response, body, () => digestOf(text)) ? text : undefined;
}

/** What is written as JSON here: neither a file nor text, and nothing that was sent already. */
function isRecord(body: unknown, response: Response): body is object {
  return typeof body === 'object' && body !== null && !(body instanceof StreamableFile) && !response.headersSent;
}

/** Sets the headers of an answer; false when the caller has it already. */
function tagged(request: Request, response: Response, body: object, digest: () => string): boolean {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  const revision = revisionOf(body);
  const reading = request.method === 'GET' || request.method === 'HEAD';
  if (!reading && revision === undefined) return true;
  const tag = revision === undefined ? `W/"${digest()}"` : `"${revision}-${digest()}"`;
  if (reading) return !isKnown(request, response, tag);
  response.setHeader('ETag', tag);
  return true;
}

/** Tags the answer of a read; when the caller names this very tag the answer is 304. */
function isKnown(request: Request, response: Response, tag: string): boolean {
  response.setHeader('ETag', tag);
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'private, no-cache');
  response.vary('Authorization');
  if (!matches(request.headers['if-none-match'], tag)) return false;
  response.status(304);
  return true;
}

const digestOf = (text: string): string => shortened(createHash('sha1').update(text));

const shortened = (hash: Hash): string => hash.digest('base64url').slice(0, 16);

/** Whether If-None-Match names the tag; tags compare weakly there (RFC 9110, 13.1.2). */
function matches(header: string | undefined, tag: string): boolean {
  const bare = (text: string) => text.trim().replace(/^W\//, '');
  return (
    header !== undefined && (header.trim() === '*' || header.split(',').some((given) => bare(given) === bare(tag)))
  );
}
