import { Conflict } from '../core/errors/app-error.js';
import { CONNECTION_STATUSES, mustMove } from './connection-status.js';

describe('the status of a connection', () => {
  it('moves as the table says', () => {
    expect(() => mustMove('registered', 'connected')).not.toThrow();
    expect(() => mustMove('not found', 'discovered')).not.toThrow();
  });

  it('refuses any other move and names the open ones', () => {
    expect(() => mustMove('discovered', 'connected')).toThrow(Conflict);
    expect(() => mustMove('disconnected', 'maintenance')).toThrow('open are: connected, deleted');
  });

  it('may always stay', () => {
    for (const status of CONNECTION_STATUSES) expect(() => mustMove(status, status)).not.toThrow();
  });

  it('leads nowhere from deleted', () => {
    for (const status of CONNECTION_STATUSES.filter((each) => each !== 'deleted'))
      expect(() => mustMove('deleted', status)).toThrow('open are: none');
  });
});
