import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { AuthenticatedCaller } from '../../access/access.decorators.js';
import { Authenticator } from '../../access/authenticator.js';
import { Env } from '../../config/env.js';
import { unsupportedMediaType } from '../../errors/problem.js';
import { INLINE_MAX_BYTES } from '../../json/json-chunks.js';
import { clientNetwork } from '../client-network.js';
import { FormUploads } from '../form-uploads.service.js';
import { awaitsContinue } from '../request-framing.js';
import { BodyMemoryBudget, type BodyReservation } from './body-memory-budget.js';
import { hashJson, parseJsonBody } from './json-body.js';
import { assembleBody, LargeBodyReader } from './large-body.js';
import { type ReceiveLimits, receiveBytes, type SizeLimit, tooManyBytes } from './receive-bytes.js';

/** The timeout of a JSON body in milliseconds: with a token, and without. */
const AUTHENTICATED_TIMEOUT_MS = 60_000;
const ANONYMOUS_TIMEOUT_MS = 10_000;

export interface AcceptedBodies {
  /** The route needs no token; without one, bodies are small and uncompressed. */
  isPublic: boolean;
  /** The route accepts files in a multipart form. */
  takesFiles: boolean;
}

export interface RequestWithBody extends Request, AuthenticatedCaller {
  /** A digest of the parsed body without its files, independent of the order of members; set for calls with an idempotency key. */
  bodyDigest?: string;
}

/** Parses request bodies of REST and GraphQL, after the permission on the route was checked. */
@Injectable()
export class BodyReader {
  private readonly memory = new BodyMemoryBudget();

  constructor(
    private readonly env: Env,
    private readonly uploads: FormUploads,
    private readonly large: LargeBodyReader,
    private readonly authenticator: Authenticator,
  ) {}

  /**
   * Sets `request.body` and the files of a form.
   * @throws Unauthenticated when the token was revoked while the body arrived, which may take minutes
   */
  async readBody(request: RequestWithBody, response: Response, taken: AcceptedBodies): Promise<void> {
    if (!hasBody(request)) return;
    const isForm = Boolean(request.is('multipart/form-data'));
    if (!(isForm ? taken.takesFiles : request.is(['json', '+json'])))
      throw unsupportedMediaType(
        `the content type ${request.headers['content-type'] ?? '(none)'} is not supported here`,
        taken.takesFiles ? 'Send application/json, or multipart/form-data with a file.' : 'Send application/json.',
      );
    if (isForm) assertNotCompressed(request);
    const limits = this.limitsFor(request, taken);
    assertAnnouncedSize(request, isForm ? this.uploads.limits : limits);
    const reservation = this.memory.reserve(request.actor?.userId ?? clientNetwork(request.ip));
    // The caller may have disconnected while guards ran; the `close` event is not emitted again.
    if (response.closed) reservation.release();
    else response.once('close', () => reservation.release());
    if (awaitsContinue(request)) {
      response.removeHeader('Connection');
      response.writeContinue();
    }
    try {
      if (isForm) await this.readForm(request, response, reservation);
      else await this.readJson(request, limits, reservation);
      if (request.actor) await this.authenticator.authenticate(request, () => clientNetwork(request.ip));
    } catch (error) {
      // The rest of the body is not read, so no other request can follow on this connection.
      if (!request.complete && !response.headersSent) response.setHeader('Connection', 'close');
      throw error;
    }
  }

  private async readForm(request: RequestWithBody, response: Response, reservation: BodyReservation): Promise<void> {
    await this.uploads.receive(request, response, reservation);
    reservation.complete();
    if (request.headers['idempotency-key'] !== undefined) request.bodyDigest = hashJson(request.body);
  }

  private async readJson(request: RequestWithBody, limits: ReceiveLimits, reservation: BodyReservation): Promise<void> {
    const bytes = await receiveBytes(request, limits, reservation);
    reservation.complete();
    const digest = request.headers['idempotency-key'] !== undefined;
    if (bytes.length > INLINE_MAX_BYTES) {
      const body = await this.large.parse(bytes, { digest });
      request.body = assembleBody(body);
      request.bodyDigest = body.digest;
    } else {
      request.body = parseJsonBody(bytes);
      if (digest) request.bodyDigest = hashJson(request.body);
    }
  }

  private limitsFor({ actor }: AuthenticatedCaller, { isPublic }: AcceptedBodies): ReceiveLimits {
    return isPublic || !actor
      ? {
          bytes: this.env.LIMIT_PUBLIC_BODY_BYTES,
          setting: 'LIMIT_PUBLIC_BODY_BYTES',
          compressed: false,
          time: ANONYMOUS_TIMEOUT_MS,
        }
      : {
          bytes: this.env.LIMIT_BODY_BYTES,
          setting: 'LIMIT_BODY_BYTES',
          compressed: true,
          time: AUTHENTICATED_TIMEOUT_MS,
        };
  }
}

/** Reports whether a request has a body to parse; bodies of GET and HEAD are ignored. */
export function hasBody({ method, headers }: Request): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** @throws AppError 415 */
function assertNotCompressed({ headers }: Request): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.trim().toLowerCase() === 'identity') return;
  throw unsupportedMediaType(
    `the Content-Encoding ${encoding} is not supported for forms`,
    'Send the form as identity; its files may be compressed, as .tgz or .zip.',
  );
}

/** @throws AppError 413 when Content-Length exceeds the limit */
function assertAnnouncedSize({ headers }: Request, limits: SizeLimit): void {
  if (Number(headers['content-length'] ?? 0) > limits.bytes) throw tooManyBytes(limits);
}
