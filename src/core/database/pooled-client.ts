import pg from 'pg';
import { NamedQuery, RowReaders } from './named-query.js';
import { getStatementName, named } from './statements.js';
import { parseTimestamp } from './timestamp-text.js';

/** Shorter than the wait for a place in the pool, which a connection that is being made takes. */
const CONNECT_MS = 4_000;

export const SET_USER_SQL = named(`SELECT set_config('armature.user', $1, false)`);
/** The same until the end of the transaction. */
export const SET_LOCAL_USER_SQL = named(`SELECT set_config('armature.user', $1, true)`);

/** For whom and for which request a transaction works, for the audit; and the organization that policies look up first. */
export const SET_LOCAL_REQUEST_SQL = named(
  `SELECT set_config('armature.request', $1, true), set_config('armature.organization', $2, true)`,
);

/** What answers nothing that the next statement needs: both leave in one write. */
const SENT_AHEAD = new Set(['START TRANSACTION', SET_USER_SQL, SET_LOCAL_USER_SQL, SET_LOCAL_REQUEST_SQL]);

/** The same for a constant statement of a transaction. */
export function sentAhead(text: string): string {
  SENT_AHEAD.add(named(text));
  return text;
}

type Send = (text: string, values?: unknown[]) => Promise<pg.QueryResult>;

/**
 * A connection of the pool. Statements are pipelined: one that is sent ahead is not waited for by itself, and when it fails, so
 * does the statement after it. What is sent in one turn of the event loop, such as the beginning of a transaction and its first
 * statement, leaves in one write.
 */
export class PooledClient extends pg.Client {
  /** In whose name it asks at the moment, for the row-level policies. */
  rowSecurityUser: string | undefined;
  private ahead: Promise<pg.QueryResult>[] = [];
  private isUserAhead = false;
  private isJoining = false;

  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_MS, pipeline: true });
    this.setTypeParser(pg.types.builtins.TIMESTAMPTZ, parseTimestamp);
    // An error while the connection is handed over would have no listener, which would end the process.
    this.on('error', () => undefined);
    const query = this.query.bind(this);
    const readers = new RowReaders();
    const send: Send = (text, values) => {
      this.joinWrites();
      const name = getStatementName(text);
      if (name === undefined || !readers.admits(name)) return query(text, values);
      return new Promise((resolve, reject) => {
        query(
          new NamedQuery(name, text, values ?? [], readers, (error, result) =>
            error ? reject(error) : resolve(result),
          ),
        );
      });
    };
    const ask = (first: unknown, ...rest: unknown[]): unknown => {
      const [values] = rest;
      if (typeof first !== 'string' || rest.length > 1 || typeof values === 'function')
        return (query as (...given: unknown[]) => unknown)(first, ...rest);
      return this.ask(send, first, values as unknown[] | undefined);
    };
    this.query = ask as typeof this.query;
  }

  private ask(send: Send, text: string, values?: unknown[]): Promise<pg.QueryResult> {
    // Outside a transaction a write would still run, in the name of the caller before, when naming this one has failed.
    if (this.isUserAhead && !text.startsWith('SELECT')) return this.settleAhead().then(() => send(text, values));
    const sent = send(text, values);
    if (SENT_AHEAD.has(text)) {
      this.ahead.push(sent);
      this.isUserAhead ||= text === SET_USER_SQL;
      // Its failure fails the next statement as well.
      sent.catch(() => (this.rowSecurityUser = undefined));
      return Promise.resolve({ command: '', rowCount: 0, oid: 0, fields: [], rows: [] });
    }
    if (this.ahead.length === 0) return sent;
    // When both have failed, the first of them says why.
    sent.catch(() => undefined);
    return this.settleAhead().then(() => sent);
  }

  private joinWrites(): void {
    if (this.isJoining) return;
    this.isJoining = true;
    const { stream } = this.connection;
    stream.cork();
    const write = (): void => {
      this.isJoining = false;
      stream.uncork();
    };
    // After all promises that are settled in this turn, also when it began with a callback, which ticks would follow at once.
    queueMicrotask(() => process.nextTick(write));
  }

  private settleAhead(): Promise<unknown> {
    const ahead = this.ahead;
    this.ahead = [];
    this.isUserAhead = false;
    return Promise.all(ahead);
  }
}
