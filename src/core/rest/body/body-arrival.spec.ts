import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AppError } from '../../errors/app-error.js';
import { BodyArrival } from './body-arrival.js';

const PACE = { interval: 100, bytes: 1_000 };

let request: IncomingMessage;
beforeEach(() => {
  request = Object.assign(new EventEmitter(), { socket: { pause: () => undefined } }) as unknown as IncomingMessage;
});

const receive = (bytes: number): boolean => request.emit('data', Buffer.alloc(bytes));

/** Monitors a body; resolves with its error. */
function watch(time: number): { arrival: BodyArrival; refused: Promise<unknown> } {
  let refuse: (reason: AppError) => void;
  const refused = new Promise<AppError>((resolve) => (refuse = resolve));
  return {
    arrival: new BodyArrival(request, time, (reason) => refuse(reason), PACE),
    refused: refused.then(({ status, code, message }) => [status, code, message]),
  };
}

describe('a body that arrives', () => {
  it('is refused once it falls below its pace, however fast it began', async () => {
    const { refused } = watch(60_000);
    receive(1_000_000);
    expect(await refused).toEqual([408, 'REQUEST_TIMEOUT', 'fewer than 1000 bytes of the body arrived in 0.1 seconds']);
  });

  it('is refused when its time is over, however fast it is', async () => {
    const { arrival, refused } = watch(300);
    const sending = setInterval(() => receive(1_000_000), 1);
    try {
      expect(await refused).toEqual([408, 'REQUEST_TIMEOUT', 'the body did not arrive within 0.3 seconds']);
    } finally {
      clearInterval(sending);
    }
    expect(arrival.received).toBeGreaterThan(1_000_000);
  });

  it('is refused in pieces that are too small', async () => {
    const { refused } = watch(60_000);
    for (let piece = 0; piece < 2_000; piece++) receive(8);
    expect(await refused).toEqual([400, 'VALIDATION_FAILED', 'the body arrived in pieces of fewer than 32 bytes']);
  });

  it('is not watched any more once it is whole', async () => {
    const { arrival, refused } = watch(60_000);
    receive(10);
    arrival.stop();
    receive(10);
    const pause = new Promise((resolve) => setTimeout(resolve, 300, 'nothing'));
    expect([await Promise.race([refused, pause]), arrival.received]).toEqual(['nothing', 10]);
  });
});
