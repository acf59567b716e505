import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Authenticated } from '../../access/public.js';
import { Env } from '../../config/env.js';
import { tooLarge, unsupportedMediaType } from '../../errors/problem.js';
import { addressBlock } from '../address-block.js';
import { Uploads } from '../upload.js';
import { BodyRoom } from './body-room.js';
import { digestOf, INLINE_MAX_BYTES, parseBody } from './json-body.js';
import { assembled, LargeBodies } from './large-body.js';
import { type ReceiveLimits, receivedBytes } from './received-bytes.js';

/** Milliseconds in which a JSON body must arrive: with a token, and without. */
const KNOWN_CALLER_MS = 60_000;
const UNKNOWN_CALLER_MS = 10_000;

export interface TakenBodies {
  /** The route is open to callers without a token, who may send little and nothing compressed. */
  isPublic: boolean;
  /** The route takes files in a multipart form. */
  takesFiles: boolean;
}

export interface ReadRequest extends Request, Authenticated {
  /** The digest of a body, but for its files, as a value: the order of members does not count. Of calls with an idempotency key. */
  bodyDigest?: string;
}

/** The one reader of request bodies, for REST and GraphQL; nothing calls it before the caller's right to the route is known. */
@Injectable()
export class BodyReader {
  private readonly room = new BodyRoom();

  constructor(
    private readonly env: Env,
    private readonly uploads: Uploads,
    private readonly large: LargeBodies,
  ) {}

  /** Leaves the parsed body in `request.body` and the files of a form beside it. */
  async read(request: ReadRequest, response: Response, taken: TakenBodies): Promise<void> {
    if (request.method === 'GET' || request.method === 'HEAD' || !hasBody(request)) return;
    const isForm = Boolean(request.is('multipart/form-data'));
    if (!(isForm ? taken.takesFiles : request.is(['json', '+json'])))
      throw unsupportedMediaType(
        `the content type ${request.headers['content-type'] ?? '(none)'} is not taken here`,
        taken.takesFiles ? 'Send application/json, or multipart/form-data with a file.' : 'Send application/json.',
      );
    const limits = this.limitsFor(request, taken);
    const leave = this.room.take(
      request.actor?.userId ?? addressBlock(request.ip),
      expectedBytes(request, isForm ? this.uploads.mostBytes : limits.bytes),
    );
    // A caller who hung up while the guards asked has closed it already: no second event would come.
    if (response.closed) leave();
    else response.once('close', leave);
    if (/^100-continue$/i.test(request.headers.expect ?? '')) {
      response.removeHeader('Connection');
      response.writeContinue();
    }
    if (isForm) await this.form(request, response);
    else await this.json(request, limits);
  }

  private async form(request: ReadRequest, response: Response): Promise<void> {
    await this.uploads.take(request, response);
    if (request.headers['idempotency-key'] !== undefined) request.bodyDigest = digestOf(request.body);
  }

  private async json(request: ReadRequest, limits: ReceiveLimits): Promise<void> {
    const bytes = await receivedBytes(request, limits);
    const digest = request.headers['idempotency-key'] !== undefined;
    if (bytes.length > INLINE_MAX_BYTES) {
      const body = await this.large.read(bytes, { digest });
      request.body = assembled(body);
      request.bodyDigest = body.digest;
    } else {
      request.body = parseBody(bytes);
      if (digest) request.bodyDigest = digestOf(request.body);
    }
  }

  private limitsFor({ actor }: Authenticated, { isPublic }: TakenBodies): ReceiveLimits {
    return isPublic || !actor
      ? { bytes: this.env.LIMIT_PUBLIC_BODY_BYTES, compressed: false, time: UNKNOWN_CALLER_MS }
      : { bytes: this.env.LIMIT_BODY_BYTES, compressed: true, time: KNOWN_CALLER_MS };
  }
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The bytes that a body will take in memory at most. @throws AppError 413 when that is more than it may */
function expectedBytes({ headers }: Request, most: number): number {
  const length = headers['content-length'];
  if (Number(length ?? 0) > most) throw tooLarge(`the body is larger than ${most} bytes`);
  const isPlain = headers['content-encoding'] === undefined;
  return length !== undefined && isPlain ? Number(length) : most;
}
