import { type LargeBody, readLargeBody } from '../core/rest/body/large-body.js';
import { HandedOver, type Task } from './task.js';

interface Input {
  bytes: Uint8Array<ArrayBuffer>;
  wish: { digest: boolean };
}

export const largeBodyTask: Task<Input, LargeBody> = {
  module: import.meta.url,
  name: 'readLargeBodyInWorker',
};

/** Task of the worker pool. */
export function readLargeBodyInWorker({ bytes, wish }: Input): HandedOver<LargeBody> {
  const body = readLargeBody(bytes, wish);
  return new HandedOver(
    body,
    body.packed.map((part) => part.bytes.buffer),
  );
}
