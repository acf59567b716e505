import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type AppError, InvalidRequest } from '../../errors/app-error.js';
import type { LimitSetting } from '../../errors/limit-remedy.js';
import { payloadTooLarge, unsupportedMediaType } from '../../errors/problem.js';
import { BodyArrival } from './body-arrival.js';
import type { BodyReservation } from './body-memory-budget.js';

/** The maximum size of a decompressed body, and the setting of the limit. */
export interface SizeLimit {
  bytes: number;
  setting: LimitSetting;
}

export interface ReceiveLimits extends SizeLimit {
  /** Whether compressed bodies are accepted. */
  compressed: boolean;
  /** The timeout of the whole body in milliseconds. */
  time: number;
}

const DECODERS = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** The maximum ratio of decompressed to received bytes: real JSON stays below 50, decompression bombs reach 1,000 and more. */
const MAX_COMPRESSION_RATIO = 100;
/** The ratio applies only above this size. */
const UNRESTRICTED_BYTES = 64 * 1024;

/**
 * Receives and decompresses the body of a request, and stops at the first exceeded limit.
 * @throws AppError 413 over a limit, 415 for an unsupported encoding, 408 on a timeout, 400 for an incomplete body,
 * 503 without free memory
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
        // Discards bytes after a compressed body, so that the next request on the connection can be read.
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
      if (!request.complete) stop(new InvalidRequest('the body is incomplete'));
    };
    const arrival = new BodyArrival(request, limits.time, stop);
    reservation.onEvicted = stop;
    request.on('error', stop).on('close', cutOff);
    source.on('data', take).on('end', stop);
    decoder?.on('error', () => stop(new InvalidRequest('the body is not in the encoding that Content-Encoding names')));
    if (request.destroyed) cutOff();
  });
}

/** Copies the chunks to one buffer, which can be transferred to a worker. */
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
  throw unsupportedMediaType(`the Content-Encoding ${encoding} is not supported here`, `Send the body as ${taken}.`);
}

export const tooManyBytes = ({ bytes, setting }: SizeLimit): AppError =>
  payloadTooLarge(`the body is larger than ${bytes} bytes`, setting);

const tooCompressed = (): AppError =>
  payloadTooLarge(`the body unpacks to more than ${MAX_COMPRESSION_RATIO} times of its size`);
