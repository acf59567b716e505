import { Conflict } from '../core/errors/app-error.js';
import { CONNECTION_STATUSES, assertTransition } from './connection-status.js';

describe('the status of a connection', () => {
  it('moves as the table says', () => {
    expect(() => assertTransition('registered', 'connected')).not.toThrow();
    expect(() => assertTransition('not found', 'discovered')).not.toThrow();
  });

  it('refuses any other move and names the open ones', () => {
    expect(() => assertTransition('discovered', 'connected')).toThrow(Conflict);
    expect(() => assertTransition('disconnected', 'maintenance')).toThrow('allowed are: connected, deleted');
  });

  it('may always stay', () => {
    for (const status of CONNECTION_STATUSES) expect(() => assertTransition(status, status)).not.toThrow();
  });

  it('leads nowhere from deleted', () => {
    for (const status of CONNECTION_STATUSES.filter((each) => each !== 'deleted'))
      expect(() => assertTransition('deleted', status)).toThrow('allowed are: none');
  });
});
