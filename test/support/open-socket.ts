import { once } from 'node:events';
import WebSocket from 'ws';
import type { Person } from './person.js';

/** A socket that was let in; reports the code with which it is closed. */
export interface OpenSocket {
  closed: Promise<number>;
  close(): void;
}

/** Opens a GraphQL socket with the token of a person and keeps it open without running anything. */
export async function openSocket(person: Person): Promise<OpenSocket> {
  const socket = new WebSocket(
    `${person.baseUrl.replace('http', 'ws')}/api/system/graphql/query`,
    'graphql-transport-ws',
  );
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${person.token}` } }));
  const answer = await Promise.race([once(socket, 'message').then(([data]) => String(data)), closed]);
  if (typeof answer === 'number') throw new Error(`the socket was closed with ${answer}`);
  return { closed, close: () => socket.close() };
}

/** The code that a promise settles with within a time, or `open`. */
export function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | 'open'> {
  return Promise.race([promise, new Promise<'open'>((resolve) => setTimeout(() => resolve('open'), milliseconds))]);
}
