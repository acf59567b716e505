import { type LargeBody, readLargeBody } from '../core/rest/body/large-body.js';
import { HandedOver, type Task } from './task.js';

export const largeBodyTask: Task<Uint8Array<ArrayBuffer>, LargeBody> = {
  module: import.meta.url,
  name: 'readLargeBodyInWorker',
};

/** Task of the worker pool. */
export function readLargeBodyInWorker(bytes: Uint8Array): HandedOver<LargeBody> {
  const body = readLargeBody(bytes);
  return new HandedOver(
    body,
    body.packed.map((part) => part.bytes.buffer),
  );
}
