import { ServerResponse } from 'node:http';
import compression from 'compression';
import type { RequestHandler, Response } from 'express';
import { varyBy } from '../../responses/vary.js';
import { speedPatches } from '../speed.js';

/** The minimum size of a compressed body in bytes. */
const MIN_BYTES = 1024;

const compress = compression({ threshold: MIN_BYTES });

/** Caches which content types are compressed. */
const compressibleTypes = new Map<string, boolean>();
const MAX_TYPES = 100;

type WriteArguments = Parameters<ServerResponse['write']>;
type EndArguments = Parameters<ServerResponse['end']>;

/**
 * Replaces `write` and `end` of the responses of Express 5, so that `compression` 1, which replaces methods of each
 * response, is called only for bodies that it compresses; short bodies have no overhead. Not measured on its own.
 */
export function compressBodies(app: { response: Response; use: (handler: RequestHandler) => unknown }): void {
  if (!speedPatches.areApplied) return void app.use(compress);
  const plain = ServerResponse.prototype;
  const responses = app.response;
  responses.write = function (this: Response, ...given: unknown[]): boolean {
    if (this.headersSent) return plain.write.apply(this, given as WriteArguments);
    compress(this.req, this, () => undefined);
    return this.write(...(given as WriteArguments));
  };
  responses.end = function (this: Response, ...given: unknown[]): Response {
    const all = given as EndArguments;
    if (this.headersSent) return plain.end.apply(this, all) as Response;
    if (isPlain(this, given[0])) {
      if (isCompressible(this)) varyBy(this, 'Accept-Encoding');
      return plain.end.apply(this, all) as Response;
    }
    compress(this.req, this, () => undefined);
    return this.end(...all);
  };
}

/** Reports whether a body is sent uncompressed, which includes bodies for clients that accept no compression. */
function isPlain(response: Response, body: unknown): boolean {
  if (response.req.headers['accept-encoding'] === undefined) return true;
  const length = response.getHeader('Content-Length');
  if (length !== undefined) return Number(length) < MIN_BYTES;
  return body === undefined || typeof body === 'function';
}

function isCompressible(response: Response): boolean {
  const type = String(response.getHeader('Content-Type') ?? '');
  let isText = compressibleTypes.get(type);
  if (isText === undefined) {
    isText = compression.filter(response.req, response);
    if (compressibleTypes.size < MAX_TYPES) compressibleTypes.set(type, isText);
  }
  return isText && !String(response.getHeader('Cache-Control') ?? '').includes('no-transform');
}
