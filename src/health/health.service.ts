import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { IssuerKeysService } from '../auth/external/issuer-keys.service.js';
import { DatabaseAvailability } from '../core/database/database-availability.js';
import { compareMigrations } from '../core/database/migrate.js';
import { DrainState } from '../core/lifecycle/lifecycle.module.js';
import { RedisChannel } from '../core/pubsub/redis-channel.js';
import { JobsService } from '../jobs/jobs.service.js';

const PROBE_TIMEOUT_MS = 2000;

/** `checks` has `ok` or the failure for each part. */
export interface Health {
  status: 'ok' | 'unavailable' | 'draining';
  checks: Record<string, string>;
}

@Injectable()
export class HealthService implements BeforeApplicationShutdown {
  private latest?: Promise<Health>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly jobs: JobsService,
    private readonly availability: DatabaseAvailability,
    private readonly drainState: DrainState,
    private readonly redis: RedisChannel,
    private readonly issuer: IssuerKeysService,
  ) {}

  /** Concurrent probes share one check, so that any number of them uses a constant number of database connections. */
  async check(): Promise<Health> {
    if (this.drainState.hasBegun) return { status: 'draining', checks: {} };
    this.latest ??= this.look().finally(() => (this.latest = undefined));
    return this.latest;
  }

  private async look(): Promise<Health> {
    const [database, migrations] = await Promise.all([
      this.probe(() => this.checkDatabase()),
      this.probe(() => this.checkMigrations()),
    ]);
    const checks = { database, migrations, queue: this.jobs.isAlive() ? 'ok' : 'takes no jobs' };
    const status = Object.values(checks).every((outcome) => outcome === 'ok') ? 'ok' : 'unavailable';
    return { status, checks: { ...checks, ...this.describeRedis(), ...this.describeIssuer() } };
  }

  beforeApplicationShutdown(): void {
    this.drainState.begin();
  }

  /** Redis is optional: without it, notifications go through the database and may arrive later. */
  private describeRedis(): Record<string, string> {
    if (!this.redis.isConfigured) return {};
    return { redis: this.redis.isConnected ? 'ok' : 'degraded: events go through the database' };
  }

  /** Without the issuer, its last keys verify tokens for a day. */
  private describeIssuer(): Record<string, string> {
    return this.issuer.fault ? { issuer: 'degraded: its last keys are used' } : {};
  }

  /** A reachable database may refuse writes: a standby, or one whose disk is full. */
  private async checkDatabase(): Promise<string | void> {
    const [found] = await this.dataSource.query<{ mode: string }[]>(
      `SELECT current_setting('transaction_read_only') AS mode`,
    );
    return found?.mode === 'on' ? 'accepts no changes: it is read-only' : this.availability.refusedChange;
  }

  /** The applied migrations must be exactly those of this version. */
  private async checkMigrations(): Promise<string | void> {
    const { unknown, missing } = await compareMigrations(this.dataSource);
    if (unknown.length > 0) return `the schema is of a later version: ${unknown.join(', ')}`;
    if (missing.length > 0) return `not applied: ${missing.join(', ')}`;
  }

  private async probe(check: () => Promise<string | void>): Promise<string> {
    if (this.availability.isUnavailable) return 'did not respond';
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => (timer = setTimeout(resolve, PROBE_TIMEOUT_MS, 'did not respond')));
    const asked = check().then(
      (fault) => fault ?? 'ok',
      () => this.availability.refused ?? 'failed',
    );
    return Promise.race([asked, late]).finally(() => clearTimeout(timer));
  }
}
