import pg from 'pg';
import { DatabaseUnavailable } from '../errors/database-outage.js';

const CONNECT_TIMEOUT_MS = 3_000;
/** A session whose heartbeat is unanswered for this long is closed with all its pending statements. */
const RESPONSE_TIMEOUT_MS = 4_000;
const HEARTBEAT_MS = 1_000;
/** A heartbeat that is checked later than this shows that this process was busy; the delay does not count against the server. */
const BUSY_TOLERANCE_MS = 1_000;

/** The server is a standby, or is configured as read-only. */
export class ReadOnlyDatabase extends DatabaseUnavailable {
  override readonly message = 'the database is read-only';
}

/** Reports a lost session; `isSilent` when the connection was open and the server did not answer. */
export type SessionLostListener = (reason: Error, isSilent: boolean) => void;

/** A shared advisory lock of a session: a namespace, and a text whose hash is the key. */
export type SessionLock = readonly [space: number, key: string];

/** A connection that listens to channels and sends a heartbeat query at intervals. */
export class ListeningSession {
  private timer?: NodeJS.Timeout;
  private lostListener?: SessionLostListener;
  private ended = false;

  private constructor(private readonly client: pg.Client) {
    client.on('error', (error) => this.handleLost(error, false));
    client.once('end', () => this.handleLost(new Error('Connection terminated'), false));
  }

  /** @throws the error of connecting; the connection is then closed */
  static async connect(
    url: string,
    channels: string[],
    locks: readonly SessionLock[],
    hear: (channel: string, payload: string) => void,
  ): Promise<ListeningSession> {
    const client = new pg.Client({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: RESPONSE_TIMEOUT_MS,
      application_name: 'armature-listen',
    });
    const session = new ListeningSession(client);
    client.on('notification', ({ channel, payload }) => hear(channel, payload ?? ''));
    try {
      await client.connect();
      await session.assertWritable();
      for (const lock of locks) await session.hold(lock);
      for (const channel of channels) await session.listen(channel);
    } catch (error) {
      session.close();
      throw error;
    }
    session.timer = setTimeout(() => void session.checkAlive(), HEARTBEAT_MS).unref();
    return session;
  }

  async listen(channel: string): Promise<void> {
    await this.client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
  }

  /** Acquires a lock that is held until the session ends. */
  async hold([space, key]: SessionLock): Promise<void> {
    await this.client.query('SELECT pg_advisory_lock_shared($1, hashtext($2))', [space, key]);
  }

  /** Calls back once when the session is lost, not when it is closed. */
  onLost(lost: SessionLostListener): void {
    this.lostListener = lost;
    if (this.ended) lost(new Error('Connection terminated'), false);
  }

  close(): void {
    this.lostListener = undefined;
    this.destroyConnection();
  }

  private async checkAlive(): Promise<void> {
    const asked = performance.now();
    try {
      await this.assertWritable();
    } catch (error) {
      if (error instanceof ReadOnlyDatabase) return this.handleLost(error, false);
      if (performance.now() - asked < RESPONSE_TIMEOUT_MS + BUSY_TOLERANCE_MS)
        return this.handleLost(error as Error, true);
    }
    if (!this.ended) this.timer = setTimeout(() => void this.checkAlive(), HEARTBEAT_MS).unref();
  }

  /** Only the primary sends notifications; after a failover this session may be connected to a standby. */
  private async assertWritable(): Promise<void> {
    const { rows } = await this.client.query<{ mode: string }>(
      `SELECT current_setting('transaction_read_only') AS mode`,
    );
    if (rows[0]?.mode === 'on') throw new ReadOnlyDatabase();
  }

  private handleLost(reason: Error, isSilent: boolean): void {
    const { lostListener: lost } = this;
    this.lostListener = undefined;
    this.destroyConnection();
    lost?.(reason, isSilent);
  }

  /** Closes the socket without the protocol's Terminate message, which would wait for the server. */
  private destroyConnection(): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.client.connection.stream.destroy();
  }
}
