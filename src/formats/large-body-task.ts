import { type LargeBody, parseLargeBody } from '../core/rest/body/large-body.js';
import { defineTask, TransferredValue, type Task } from '../core/workers/task.js';

interface Input {
  bytes: Uint8Array<ArrayBuffer>;
  options: { digest: boolean };
}

export const largeBodyTask: Task<Input, LargeBody> = defineTask(import.meta.url, { readLargeBodyInWorker });

/** Task of the worker pool. */
export function readLargeBodyInWorker({ bytes, options }: Input): TransferredValue<LargeBody> {
  const body = parseLargeBody(bytes, options);
  return new TransferredValue(
    body,
    body.packed.map((part) => part.bytes.buffer),
  );
}
