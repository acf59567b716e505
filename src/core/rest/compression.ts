import { ServerResponse } from 'node:http';
import compression from 'compression';
import type { Response } from 'express';

/** Bytes of a body from which on it is compressed. */
const MIN_BYTES = 1024;

const compress = compression({ threshold: MIN_BYTES });

/** Whether bodies of a content type are compressed at all, by the values of that header. */
const compressibleTypes = new Map<string, boolean>();
const MAX_TYPES = 100;

type WriteArguments = Parameters<ServerResponse['write']>;
type EndArguments = Parameters<ServerResponse['end']>;

/** Appends a header to `Vary`. */
export function varyBy(response: Response, header: string): void {
  if (response.hasHeader('Vary')) response.vary(header);
  else response.setHeader('Vary', header);
}

/**
 * Compresses bodies when the first byte of them is written, so that what is too short for it costs nothing more.
 * @param responses the object that responses of the application inherit from
 */
export function compressBodies(responses: Response): void {
  const plain = ServerResponse.prototype;
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

/** Whether a body leaves as it is; so does that for a caller who takes no compressed ones. */
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
