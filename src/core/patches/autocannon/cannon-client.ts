import type { Socket } from 'node:net';
import type autocannon from 'autocannon';

/** The key of the callback of autocannon's parser for the end of the headers. */
const ON_HEADERS_COMPLETE = 2;

/** The internals of a client of autocannon 9, whose version is pinned. */
export interface CannonClient {
  conn: Socket | undefined;
  destroyed: boolean;
  /** Milliseconds. */
  timeout: number;
  /** Calls `_connect` when nothing has been sent for the timeout. */
  timeoutTicker: { reschedule: (milliseconds: number) => void };
  parser: {
    initialize: (type: string) => void;
    execute: (chunk: Buffer) => number | Error;
    finish: () => Error | undefined;
    /** Returns whether the response has no body, which the headers of a response to HEAD do not tell. */
    [ON_HEADERS_COMPLETE]: (head: { shouldKeepAlive: boolean }) => boolean | undefined;
  };
  pipelinedRequests: { addByteCount: (count: number) => void; addBody: (body: unknown) => void; clear: () => void };
  _connect: () => void;
  _doRequest: () => void;
  on(event: 'response', listener: (status: number, bytes: number) => void): void;
}

/** What decides in the place of a client. */
export interface ClientDriver {
  /** In the place of opening a connection. */
  connect: () => void;
  /** In the place of sending the next request. */
  send: () => void;
  /** Called with the head of each response. @returns whether it has no body */
  isBodiless: (head: { shouldKeepAlive: boolean }) => boolean;
}

/** A client that autocannon passes to `setupClient`. */
export const toCannonClient = (client: autocannon.Client): CannonClient => client as unknown as CannonClient;

/**
 * Replaces how a client opens connections and when it sends, which autocannon has no options for. Not for speed: a
 * measurement is true only when requests leave at their time, certificates are verified and every failure is counted.
 * Bytes of bodies are counted without storing them.
 */
export function driveClient(client: CannonClient, driver: ClientDriver): void {
  client.pipelinedRequests.addBody = () => undefined;
  client._connect = driver.connect;
  client._doRequest = driver.send;
  // Autocannon sets the callbacks of its parser after `setupClient`.
  queueMicrotask(() => {
    const { parser } = client;
    const handle = parser[ON_HEADERS_COMPLETE].bind(parser);
    parser[ON_HEADERS_COMPLETE] = (head) => {
      const isBodiless = driver.isBodiless(head);
      return handle(head) || isBodiless;
    };
  });
}
