import type { Dispatcher } from 'undici';
import { RemoteFailure } from '../errors/app-error.js';
import { limitRemedy } from '../errors/limit-remedy.js';
import type { OutboundRequest } from './outbound-request.js';

/** @throws RemoteFailure OUTBOUND_TOO_LARGE, unless `truncate` is set */
export async function readBody(
  body: Dispatcher.ResponseData['body'],
  { maxBytes = 10 * 1024 * 1024, maxBytesSetting, truncate, signal }: OutboundRequest,
  host: string,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > maxBytes && truncate) return Buffer.concat([...pieces, piece]).subarray(0, maxBytes);
      if (size > maxBytes) {
        const remedy = `Send an address whose content has at most ${maxBytes} bytes.`;
        throw new RemoteFailure('OUTBOUND_TOO_LARGE', `The response of ${host} is larger than ${maxBytes} bytes`, {
          remedy: maxBytesSetting ? limitRemedy(remedy, maxBytesSetting) : remedy,
        });
      }
      pieces.push(piece);
    }
  } catch (error) {
    if (!truncate || signal?.aborted) throw error;
  }
  return Buffer.concat(pieces);
}
