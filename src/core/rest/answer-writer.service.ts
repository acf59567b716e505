import { createHash, hash as digestOf } from 'node:crypto';
import { Injectable, type OnModuleInit, StreamableFile } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request, Response } from 'express';
import { wrapReply } from '../patches/nestjs/reply.js';
import { ResponseBudget } from '../responses/response-budget.service.js';
import { getRevision } from '../schema/record.view.js';
import { TimeSlicer } from '../time-slicer.js';
import { varyBy } from '../responses/vary.js';
import { type AnsweredRequest, setLocation } from './location.js';
import { RevisedJson, RevisedResponse } from './revised-response.js';
import { estimateJsonBytes, isLargeJson } from '../json/json-size.js';
import { SerializedJson } from './serialized-json.js';
import { StreamedAnswers } from './streamed-answers.service.js';

/**
 * Writes JSON responses, their ETags (RFC 9110), and the Location of created records. The ETag of a record consists
 * of its revision, which If-Match compares, and a digest of the representation. A read whose If-None-Match matches
 * gets 304.
 */
@Injectable()
export class AnswerWriter implements OnModuleInit {
  /** Responses whose body has been written already. */
  private readonly written = new WeakSet<Response>();

  constructor(
    private readonly budget: ResponseBudget,
    private readonly host: HttpAdapterHost,
    private readonly streams: StreamedAnswers,
  ) {}

  /** Intercepts the values that NestJS sends as responses. */
  onModuleInit(): void {
    wrapReply(this.host, (reply) => (response, body, status) => {
      if (this.written.has(response)) return reply(response, body, status);
      const written = this.write(response.req, response, body);
      if (written instanceof Promise) return written.then((made) => reply(response, made, status));
      return isJsonText(body, written) ? sendText(response, written, status) : reply(response, written, status);
    });
  }

  /** Sets the headers of a response and returns its body: text, a file, or undefined for 304. */
  write(request: AnsweredRequest, response: Response, body: unknown): unknown {
    this.written.add(response);
    if (response.statusCode === 201) setLocation(request, response, body);
    if (body instanceof RevisedResponse) return this.writeRevised(request, response, body);
    if (body instanceof RevisedJson) return this.writeRevisedJson(request, response, body as RevisedJson<object>);
    if (body instanceof StreamableFile && !(body instanceof SerializedJson)) return this.reserveFile(body);
    if (body instanceof SerializedJson || (isJsonRecord(body, response) && isLargeJson(body)))
      return this.writeLarge(request, response, body);
    return writeJson(request, response, body);
  }

  private async writeRevised(request: AnsweredRequest, response: Response, body: RevisedResponse): Promise<unknown> {
    if (isNotModified(request, response, revisionTag(request, body))) return undefined;
    this.streams.add(response, request.actor);
    return body.openStream(await this.budget.reserveStream());
  }

  /** Sets the ETag after the value was loaded, so that errors have none. */
  private async writeRevisedJson(request: Request, response: Response, body: RevisedJson<object>): Promise<unknown> {
    const tag = revisionTag(request, body);
    const known = request.headers['if-none-match'];
    // An asterisk matches any existing representation, so the value has to be loaded.
    const value = known !== '*' && matchesTag(known, tag) ? undefined : await body.load();
    if (isNotModified(request, response, tag) || !value) return undefined;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    if (!isLargeJson(value)) return JSON.stringify(value);
    await this.budget.reserveSerialized(estimateJsonBytes(value, Number.MAX_SAFE_INTEGER));
    return SerializedJson.serialize(value);
  }

  /** Reserves memory for a file that is in memory. */
  private async reserveFile(body: StreamableFile): Promise<StreamableFile> {
    await this.budget.reserveSerialized(body.getHeaders().length ?? 0);
    return body;
  }

  /** Serializes a large response in chunks, with the same bytes, within the memory limit of responses. */
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

/** Reports whether a value was serialized to a complete text, with type and ETag set, and is not a 304. */
const isJsonText = (body: unknown, written: unknown): written is string =>
  typeof body === 'object' && typeof written === 'string';

/** Express would compute what is already known of the text. */
function sendText(response: Response, text: string, status?: number): void {
  if (status !== undefined) response.status(status);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  if (response.req.method === 'HEAD') response.end();
  else response.end(text);
}

function writeJson(request: Request, response: Response, body: unknown): unknown {
  if (!isJsonRecord(body, response)) return body;
  const text = JSON.stringify(body);
  return setTag(request, response, body, () => hashText(text)) ? text : undefined;
}

/** Reports whether the body is serialized here: not a file or text, and not sent yet. */
function isJsonRecord(body: unknown, response: Response): body is object {
  return typeof body === 'object' && body !== null && !(body instanceof StreamableFile) && !response.headersSent;
}

/** Sets the ETag. @returns false for a 304 */
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

/** Sets the ETag of a read, and the status 304 when If-None-Match matches. */
function isNotModified(request: Request, response: Response, tag: string): boolean {
  response.setHeader('ETag', tag);
  if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'private, no-cache');
  varyBy(response, 'Authorization');
  if (!matchesTag(request.headers['if-none-match'], tag)) return false;
  // A 304 has the Vary header of the omitted body (RFC 9110, 15.4.5).
  varyBy(response, 'Accept-Encoding');
  response.status(304);
  return true;
}

const revisionTag = ({ originalUrl }: Request, { revision }: { revision: string }): string =>
  `W/"${revision}-${hashText(originalUrl)}"`;

const hashText = (text: string): string => shortDigest(digestOf('sha1', text, 'base64url'));

const shortDigest = (digest: string): string => digest.slice(0, 16);

/** Reports whether If-None-Match contains the tag; it uses weak comparison (RFC 9110, 13.1.2). */
function matchesTag(header: string | undefined, tag: string): boolean {
  const bare = (text: string) => text.trim().replace(/^W\//, '');
  return (
    header !== undefined && (header.trim() === '*' || header.split(',').some((given) => bare(given) === bare(tag)))
  );
}
