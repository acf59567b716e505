import pg from 'pg';
import { joinWritesOf } from '../patches/pg/joined-writes.js';
import { NamedQuery, RowReaders } from '../patches/pg/named-query.js';
import { getStatementName, named } from './statements.js';
import { parseTimestamp } from './timestamp-text.js';

/** Shorter than the pool's timeout for a connection, which includes connecting. */
const CONNECT_MS = 4_000;

export const SET_USER_SQL = named(`SELECT set_config('armature.user', $1, false)`);
/** Sets the user until the end of the transaction. */
export const SET_LOCAL_USER_SQL = named(`SELECT set_config('armature.user', $1, true)`);

/**
 * Sets the user and the request of a transaction, for the audit, and the organization that the row-level security
 * policies check first.
 */
export const SET_LOCAL_REQUEST_SQL = named(
  `SELECT set_config('armature.request', $1, true), set_config('armature.organization', $2, true)`,
);

/** Statements whose result the next statement does not need: both are sent in one write. */
const SENT_AHEAD = new Set(['START TRANSACTION', SET_USER_SQL, SET_LOCAL_USER_SQL, SET_LOCAL_REQUEST_SQL]);

/** Marks a constant statement of a transaction as one that is sent with the next statement. */
export function sentAhead(text: string): string {
  SENT_AHEAD.add(named(text));
  return text;
}

type Send = (text: string, values?: unknown[]) => Promise<pg.QueryResult>;

/**
 * A pooled connection that pipelines statements. A statement that is sent ahead is not awaited; when it fails, the
 * following statement fails too. Statements sent in one turn of the event loop, such as START TRANSACTION and the
 * first statement, leave in one write.
 */
export class PooledClient extends pg.Client {
  /** The user that the row-level security policies currently apply to. */
  rowSecurityUser: string | undefined;
  private ahead: Promise<pg.QueryResult>[] = [];
  private isUserAhead = false;

  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_MS, pipeline: true });
    this.setTypeParser(pg.types.builtins.TIMESTAMPTZ, parseTimestamp);
    // Without a listener, an error between two users of the connection would end the process.
    this.on('error', () => undefined);
    const query = this.query.bind(this);
    const readers = new RowReaders();
    const joinWrites = joinWritesOf(this);
    const send: Send = (text, values) => {
      joinWrites();
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
    // Outside a transaction a write would run as the previous user if setting this user failed, so wait for the
    // result.
    if (this.isUserAhead && !text.startsWith('SELECT')) return this.settleAhead().then(() => send(text, values));
    const sent = send(text, values);
    if (SENT_AHEAD.has(text)) {
      this.ahead.push(sent);
      this.isUserAhead ||= text === SET_USER_SQL;
      // The next statement fails with it.
      sent.catch(() => (this.rowSecurityUser = undefined));
      return Promise.resolve({ command: '', rowCount: 0, oid: 0, fields: [], rows: [] });
    }
    if (this.ahead.length === 0) return sent;
    // When both fail, the first error states the cause.
    sent.catch(() => undefined);
    return this.settleAhead().then(() => sent);
  }

  private settleAhead(): Promise<unknown> {
    const ahead = this.ahead;
    this.ahead = [];
    this.isUserAhead = false;
    return Promise.all(ahead);
  }
}
