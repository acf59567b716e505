import pg from 'pg';

const CONNECT_MS = 3_000;
/** A server that lets the sign of life wait for longer is given up, with all that was asked of it. */
const PATIENCE_MS = 4_000;
const BEAT_MS = 1_000;
/** A sign of life that was judged so late says that this process was busy, nothing of the server. */
const BUSY_MS = 1_000;

/** How a session ended: `isSilent` when the connection stood and the server did not answer. */
export type Lost = (reason: Error, isSilent: boolean) => void;

/** One connection that listens to channels, and asks the server for a sign of life again and again. */
export class ListeningSession {
  private timer?: NodeJS.Timeout;
  private lost?: Lost;
  private ended = false;

  private constructor(private readonly client: pg.Client) {
    client.on('error', (error) => this.lose(error, false));
    client.once('end', () => this.lose(new Error('Connection terminated'), false));
  }

  /** @throws what connecting throws; nothing of the connection is left then */
  static async open(
    url: string,
    channels: string[],
    hear: (channel: string, payload: string) => void,
  ): Promise<ListeningSession> {
    const client = new pg.Client({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: PATIENCE_MS,
      application_name: 'armature-listen',
    });
    const session = new ListeningSession(client);
    client.on('notification', ({ channel, payload }) => hear(channel, payload ?? ''));
    try {
      await client.connect();
      for (const channel of channels) await session.listen(channel);
    } catch (error) {
      session.close();
      throw error;
    }
    session.timer = setTimeout(() => void session.beat(), BEAT_MS).unref();
    return session;
  }

  async listen(channel: string): Promise<void> {
    await this.client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
  }

  /** Calls back once when the session is lost; not when it is closed. */
  whenLost(lost: Lost): void {
    this.lost = lost;
    if (this.ended) lost(new Error('Connection terminated'), false);
  }

  close(): void {
    this.lost = undefined;
    this.end();
  }

  private async beat(): Promise<void> {
    const asked = performance.now();
    try {
      await this.client.query('SELECT 1');
    } catch (error) {
      if (performance.now() - asked < PATIENCE_MS + BUSY_MS) return this.lose(error as Error, true);
    }
    if (!this.ended) this.timer = setTimeout(() => void this.beat(), BEAT_MS).unref();
  }

  private lose(reason: Error, isSilent: boolean): void {
    const { lost } = this;
    this.lost = undefined;
    this.end();
    lost?.(reason, isSilent);
  }

  /** Hangs up, for a farewell would wait for the server. */
  private end(): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.client.connection.stream.destroy();
  }
}
