import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type AppError, InvalidRequest } from '../../errors/app-error.js';
import type { LimitSetting } from '../../errors/limit-remedy.js';
import { payloadTooLarge, unsupportedMediaType } from '../../errors/problem.js';
import { BodyArrival } from './body-arrival.js';
import type { BodyReservation } from './body-memory-budget.js';

/** Bytes of a body, unpacked, and the setting that raises them. */
export interface SizeLimit {
  bytes: number;
  setting: LimitSetting;
}

export interface ReceiveLimits extends SizeLimit {
  /** Whether a compressed body is taken. */
  compressed: boolean;
  /** Milliseconds in which the whole body must arrive. */
  time: number;
}

const DECODERS = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Bytes unpacked for each byte received: real JSON stays below 50, bombs reach 1,000 and more. */
const MAX_COMPRESSION_RATIO = 100;
/** What may be unpacked whatever the ratio is. */
const UNRESTRICTED_BYTES = 64 * 1024;

/**
 * Receives the whole body of a request, unpacked, and stops reading at the first bound that it reaches.
 * @throws AppError 413 over a bound, 415 for an encoding that is not taken, 408 when it takes too long, 400 when it is cut off,
 *   503 when there is no room for it
 */
export async function receiveBytes(
  request: IncomingMessage,
  limits: ReceiveLimits,
  reservation: BodyReservation,
): Promise<Uint8Array<ArrayBuffer>> {
  const decoder = createDecoder(request, limits.compressed);
  const source: Readable = decoder ? request.pipe(decoder) : request;
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const stop = (error?: Error): void => {
      arrival.stop();
      request.off('error', stop).off('close', cutOff);
      source.off('data', take).off('end', stop);
      request.unpipe();
      decoder?.removeAllListeners('error').on('error', () => undefined);
      decoder?.destroy();
      if (error) {
        request.pause();
        reject(error);
      } else {
        // What follows a compressed body is dropped, or the next request on the connection would never be reached.
        request.resume();
        resolve(concatChunks(chunks, size));
      }
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limits.bytes) stop(tooManyBytes(limits));
      else if (decoder && size > UNRESTRICTED_BYTES && size > arrival.received * MAX_COMPRESSION_RATIO)
        stop(tooCompressed());
      else keep(chunk);
    };
    const keep = (chunk: Buffer): void => {
      try {
        reservation.take(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        stop(error as AppError);
      }
    };
    const cutOff = (): void => {
      if (!request.complete) stop(new InvalidRequest('the body was not received whole'));
    };
    const arrival = new BodyArrival(request, limits.time, stop);
    reservation.onEvicted = stop;
    request.on('error', stop).on('close', cutOff);
    source.on('data', take).on('end', stop);
    decoder?.on('error', () => stop(new InvalidRequest('the body is not in the encoding that Content-Encoding names')));
    if (request.destroyed) cutOff();
  });
}

/** The chunks in a buffer of their own, which can go over to a worker. */
function concatChunks(chunks: readonly Buffer[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

function createDecoder(request: IncomingMessage, compressed: boolean) {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity') return undefined;
  const create = compressed ? DECODERS.get(encoding) : undefined;
  if (create) return create();
  const taken = compressed ? `${[...DECODERS.keys()].join(', ')} or identity` : 'identity';
  throw unsupportedMediaType(`the Content-Encoding ${encoding} is not taken here`, `Send the body as ${taken}.`);
}

export const tooManyBytes = ({ bytes, setting }: SizeLimit): AppError =>
  payloadTooLarge(`the body is larger than ${bytes} bytes`, setting);

const tooCompressed = (): AppError =>
  payloadTooLarge(`the body unpacks to more than ${MAX_COMPRESSION_RATIO} times of its size`);
