import type { IncomingHttpHeaders } from 'node:http';
import type { Actor } from '../../access/actor.js';
import { AppError } from '../../errors/app-error.js';
import type { SocketConnection } from './socket-connection.js';

/** The GraphQL context of an operation over a socket. */
export interface SocketContext {
  req: { headers: IncomingHttpHeaders; actor: Actor };
  actor: Actor;
  socket: true;
}

/** @throws Error before the socket is authenticated */
export function buildContext({ actor, request }: SocketConnection): SocketContext {
  if (!actor) throw new Error('The socket is not authenticated');
  return { req: { headers: request.headers, actor }, actor, socket: true };
}

export function tooManyOperationsError(limit: number): AppError {
  return new AppError(
    429,
    'TOO_MANY_OPERATIONS',
    'Too many operations',
    `One socket runs ${limit} operations at a time.`,
    {
      remedy: 'Complete a subscription before you start another.',
    },
  );
}
