import { createHash, hash as digestOf } from 'node:crypto';
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
import { hasMetadata } from '../access/access.decorators.js';
import { ResponseBudget } from '../responses/response-budget.service.js';
import { getRevision } from '../schema/record.view.js';
import { TimeSlicer } from '../time-slicer.js';
import { varyBy } from './compression.js';
import { IS_NO_STORE } from './no-store.decorator.js';
import { RevisedJson, RevisedResponse } from './revised-response.js';
import { isLargeJson, estimateJsonBytes, SerializedJson } from './serialized-json.js';

/**
 * Writes JSON answers and their ETags (RFC 9110). The tag of a record is its revision and a digest of what is shown of
 * it: writes compare the revision, reads the whole. A read that names the tag it has is answered 304.
 */
@Injectable()
export class ConditionalInterceptor implements NestInterceptor {
  constructor(
    private readonly budget: ResponseBudget,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    if (hasMetadata(this.reflector, IS_NO_STORE, context)) response.setHeader('Cache-Control', 'no-store');
    return next
      .handle()
      .pipe(
        mergeMap((body: unknown) =>
          body instanceof RevisedResponse
            ? this.writeRevised(request, response, body)
            : body instanceof RevisedJson
              ? this.writeRevisedJson(request, response, body as RevisedJson<object>)
              : body instanceof StreamableFile && !(body instanceof SerializedJson)
                ? this.reserveFile(body)
                : body instanceof SerializedJson || (isJsonRecord(body, response) && isLargeJson(body))
                  ? this.writeLarge(request, response, body)
                  : [writeJson(request, response, body)],
        ),
      );
  }

  private async writeRevised(request: Request, response: Response, body: RevisedResponse): Promise<unknown> {
    if (isNotModified(request, response, revisionTag(request, body))) return undefined;
    return body.openStream(await this.budget.reserveStream());
  }

  /** The tag is set once the value is there: a failure has none. */
  private async writeRevisedJson(request: Request, response: Response, body: RevisedJson<object>): Promise<unknown> {
    const tag = revisionTag(request, body);
    const known = request.headers['if-none-match'];
    // An asterisk names what is there, which shows when it is loaded.
    const value = known !== '*' && matchesTag(known, tag) ? undefined : await body.load();
    if (isNotModified(request, response, tag) || !value) return undefined;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    if (!isLargeJson(value)) return JSON.stringify(value);
    await this.budget.reserveSerialized(estimateJsonBytes(value, Number.MAX_SAFE_INTEGER));
    return SerializedJson.serialize(value);
  }

  /** A file that is in memory takes its part of what all answers share. */
  private async reserveFile(body: StreamableFile): Promise<StreamableFile> {
    await this.budget.reserveSerialized(body.getHeaders().length ?? 0);
    return body;
  }

  /** The same answer, byte for byte, without holding others up, and within the memory that all answers share. */
  private async writeLarge(request: Request, response: Response, body: object): Promise<unknown> {
    await this.budget.reserveSerialized(
      body instanceof SerializedJson ? body.size : estimateJsonBytes(body, Number.MAX_SAFE_INTEGER),
    );
    const written = body instanceof SerializedJson ? body : await SerializedJson.serialize(body);
    const hash = createHash('sha1');
    const turns = new TimeSlicer();
    for (const piece of written.pieces) {
      hash.update(piece);
      await turns.yieldToEventLoop();
    }
    return setTag(request, response, body, () => shortDigest(hash.digest('base64url'))) ? written : undefined;
  }
}

function writeJson(request: Request, response: Response, body: unknown): unknown {
  if (!isJsonRecord(body, response)) return body;
  const text = JSON.stringify(body);
  return setTag(request, response, body, () => hashText(text)) ? text : undefined;
}

/** What is written as JSON here: neither a file nor text, and nothing that was sent already. */
function isJsonRecord(body: unknown, response: Response): body is object {
  return typeof body === 'object' && body !== null && !(body instanceof StreamableFile) && !response.headersSent;
}

/** Sets the headers of an answer; false when the caller has it already. */
function setTag(request: Request, response: Response, body: object, digest: () => string): boolean {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  const revision = getRevision(body);
  const reading = request.method === 'GET' || request.method === 'HEAD';
  if (!reading && revision === undefined) return true;
  const tag = revision === undefined ? `W/"${digest()}"` : `"${revision}-${digest()}"`;
  if (reading) return !isNotModified(request, response, tag);
  response.setHeader('ETag', tag);
  return true;
}

/** Tags the answer of a read; when the caller names this very tag the answer is 304. */
function isNotModified(request: Request, response: Response, tag: string): boolean {
  response.setHeader('ETag', tag);
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'private, no-cache');
  varyBy(response, 'Authorization');
  if (!matchesTag(request.headers['if-none-match'], tag)) return false;
  response.status(304);
  return true;
}

const revisionTag = ({ originalUrl }: Request, { revision }: { revision: string }): string =>
  `W/"${revision}-${hashText(originalUrl)}"`;

const hashText = (text: string): string => shortDigest(digestOf('sha1', text, 'base64url'));

const shortDigest = (digest: string): string => digest.slice(0, 16);

/** Whether If-None-Match names the tag; tags compare weakly there (RFC 9110, 13.1.2). */
function matchesTag(header: string | undefined, tag: string): boolean {
  const bare = (text: string) => text.trim().replace(/^W\//, '');
  return (
    header !== undefined && (header.trim() === '*' || header.split(',').some((given) => bare(given) === bare(tag)))
  );
}
