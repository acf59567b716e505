import { readEvents } from './logs.js';

const streamOf = (...pieces: string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });

it('the events of logs are read from pieces of a stream, without comments', async () => {
  const text = [
    'event: log\ndata: {"pod":"web","line":"ü: 1"}\n\n',
    ': still here\n\n',
    'event: end\ndata: {"reason":"ended"}\n\n',
  ].join('');
  const bytes = new TextEncoder().encode(text);
  const halves = [bytes.slice(0, 39), bytes.slice(39)];
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const half of halves) controller.enqueue(half);
      controller.close();
    },
  });
  const read = async (from: ReadableStream<Uint8Array>): Promise<unknown[]> => {
    const events: unknown[] = [];
    for await (const { type, record } of readEvents(from)) events.push([type, record]);
    return events;
  };
  const expected = [
    ['log', { pod: 'web', line: 'ü: 1' }],
    ['end', { reason: 'ended' }],
  ];
  expect(await read(stream)).toEqual(expected);
  expect(await read(streamOf(...text))).toEqual(expected);
});
