import { ArmatureError } from './armature-error.js';
import type { EventView } from './generated/types.gen.js';
import { resuming, type StreamState } from './resuming.js';
import type { Transport } from './transport.js';

/** The server sends something every 15 seconds: a connection without is broken, though nothing says so. */
const LONGEST_SILENCE_MS = 45_000;
/** Of one event. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

export interface EventsOptions {
  query?: { orgID?: string; workspaceID?: string; category?: string; severity?: string };
  /** Begins after the event of this number; without, with the next event. */
  after?: string | number;
  signal?: AbortSignal;
}

/** The events of an organization as they happen, each once, also after breaks. */
export function followEvents(
  transport: Transport,
  { query, after, signal }: EventsOptions,
): AsyncGenerator<EventView, void, undefined> {
  /** From the first connection on, also when no event has come yet. */
  let position: string | undefined;
  return resuming(async function* (state: StreamState) {
    const { data } = await transport.send({
      method: 'GET',
      path: '/api/events/stream',
      query: { ...query, after },
      headers: { Accept: 'text/event-stream', 'Last-Event-ID': position },
      signal,
    });
    if (!(data instanceof ReadableStream))
      throw new ArmatureError('The response is no stream of events.', { code: 'UNREACHABLE' });
    state.wasOpen = true;
    for await (const { id, type, text } of readServerSentEvents(data as ReadableStream<Uint8Array>, signal)) {
      if (id) position = id;
      if (text && type === '') yield JSON.parse(text) as EventView;
    }
  }, signal);
}

interface ServerSentEvent {
  id: string | undefined;
  type: string;
  text: string;
}

/** Parses a stream: https://html.spec.whatwg.org/multipage/server-sent-events.html */
async function* readServerSentEvents(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let event: ServerSentEvent = { id: undefined, type: '', text: '' };
  for await (const line of readLines(stream, signal)) {
    if (line === '') {
      yield event;
      event = { id: undefined, type: '', text: '' };
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'id') event.id = value;
    if (field === 'event') event.type = value;
    if (field === 'data') event.text += event.text ? `\n${value}` : value;
    assertSize(event.text);
  }
}

/** The lines of a stream, as long as it goes on: a break is its end. */
async function* readLines(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const bytes = await readInTime(reader).catch(() => undefined);
      signal?.throwIfAborted();
      if (!bytes) return;
      const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      assertSize(rest);
      yield* lines;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Undefined at the end, and when nothing comes for too long. */
async function readInTime(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), LONGEST_SILENCE_MS);
  });
  try {
    return await Promise.race([reader.read().then(({ value }) => value), silence]);
  } finally {
    clearTimeout(timer);
  }
}

function assertSize(text: string): void {
  if (text.length > MOST_CHARACTERS) throw new Error('An event of the stream is too large.');
}
