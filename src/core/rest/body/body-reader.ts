import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Authenticated } from '../../access/public.js';
import { Env } from '../../config/env.js';
import { unsupportedMediaType } from '../../errors/problem.js';
import { Uploads } from '../upload.js';
import { digestOf, INLINE_MAX_BYTES, parseBody } from './json-body.js';
import { assembled, LargeBodies } from './large-body.js';
import { receivedBytes } from './received-bytes.js';

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
  /** The digest of a JSON body as a value: the order of members does not count. */
  bodyDigest?: () => string;
}

/** The one reader of request bodies, for REST and GraphQL; nothing calls it before the caller's right to the route is known. */
@Injectable()
export class BodyReader {
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
    if (/^100-continue$/i.test(request.headers.expect ?? '')) {
      response.removeHeader('Connection');
      response.writeContinue();
    }
    if (isForm) return this.uploads.take(request, response);
    const bytes = await receivedBytes(request, this.limitsFor(taken.isPublic || !request.actor));
    if (bytes.length <= INLINE_MAX_BYTES) {
      request.body = parseBody(bytes);
      request.bodyDigest = () => digestOf(request.body);
    } else {
      const body = await this.large.read(bytes);
      request.body = assembled(body);
      request.bodyDigest = () => body.digest;
    }
  }

  private limitsFor(isPublic: boolean) {
    return isPublic
      ? { bytes: this.env.LIMIT_PUBLIC_BODY_BYTES, compressed: false, time: UNKNOWN_CALLER_MS }
      : { bytes: this.env.LIMIT_BODY_BYTES, compressed: true, time: KNOWN_CALLER_MS };
  }
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
