import { Conflict } from '../core/errors/app-error.js';

export const CONNECTION_STATUSES = [
  'discovered',
  'registered',
  'connected',
  'ignored',
  'maintenance',
  'disconnected',
  'deleted',
  'not found',
] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/** The allowed transitions from each status. */
const TRANSITIONS: Record<ConnectionStatus, readonly ConnectionStatus[]> = {
  discovered: ['registered', 'ignored'],
  registered: ['connected', 'ignored', 'not found'],
  connected: ['disconnected', 'maintenance', 'ignored', 'deleted', 'not found'],
  disconnected: ['connected', 'deleted'],
  maintenance: ['registered', 'connected', 'ignored', 'not found'],
  ignored: ['registered', 'deleted', 'not found'],
  'not found': ['discovered', 'deleted'],
  deleted: [],
};

/** Whether the connection has not reached the remote system yet, or no longer does. False for statuses that a user sets. */
export const isUnreached = (status: ConnectionStatus): boolean => status === 'registered' || status === 'disconnected';

export const canTransition = (from: ConnectionStatus, to: ConnectionStatus): boolean => TRANSITIONS[from].includes(to);

/** @throws Conflict ILLEGAL_STATUS naming the allowed transitions; keeping the status is always allowed */
export function assertTransition(from: ConnectionStatus, to: ConnectionStatus): void {
  if (from === to || canTransition(from, to)) return;
  const open = TRANSITIONS[from].join(', ') || 'none';
  throw new Conflict('ILLEGAL_STATUS', `a connection that is ${from} cannot become ${to}; allowed are: ${open}`, {
    extensions: { allowed: TRANSITIONS[from] },
    remedy: `Move it to one of: ${open}.`,
  });
}

/** Statuses in which the remote system may be called. */
export const CALLABLE_STATUSES: readonly ConnectionStatus[] = [
  'registered',
  'disconnected',
  'maintenance',
  'connected',
];

/** @throws Conflict ILLEGAL_STATUS for a connection whose remote system may not be called in its status */
export function assertCallable(status: ConnectionStatus): void {
  if (CALLABLE_STATUSES.includes(status)) return;
  throw new Conflict('ILLEGAL_STATUS', `a connection that is ${status} cannot be pinged`, {
    remedy: 'Register it first: PUT with status registered.',
  });
}
