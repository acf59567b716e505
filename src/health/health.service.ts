import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { IssuerKeysService } from '../auth/external/issuer-keys.service.js';
import { DatabaseAvailability } from '../core/database/database-availability.js';
import { compareMigrations } from '../core/database/migrate.js';
import { DrainState } from '../core/lifecycle/lifecycle.module.js';
import { RedisChannel } from '../core/pubsub/redis-channel.js';
import { JobsService } from '../jobs/jobs.service.js';

const PROBE_TIMEOUT_MS = 2000;

/** `degraded`: away for all replicas alike, or optional; `unavailable`: this process cannot do its work. */
export interface Check {
  status: 'ok' | 'degraded' | 'unavailable';
  reason?: string;
}

/** The last migration that this version knows, and the last one that was applied. */
export interface SchemaState {
  known: string;
  /** Null while it could not be read. */
  applied: string | null;
  compatible: boolean;
}

/**
 * Whether this process does its work. An outage that all replicas share leaves it ready: otherwise a balancer would take all of them
 * out, and callers would get its page instead of a problem with `Retry-After`.
 */
export interface Health {
  status: Check['status'] | 'draining';
  checks: Record<string, Check>;
  schema?: SchemaState;
}

@Injectable()
export class HealthService implements BeforeApplicationShutdown {
  private latest?: Promise<Health>;
  private schema?: SchemaState;

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
    const checks = { database, migrations, queue: this.checkQueue(), ...this.checkRedis(), ...this.checkIssuer() };
    const all = Object.values(checks).map(({ status }) => status);
    const status = ['unavailable' as const, 'degraded' as const].find((one) => all.includes(one)) ?? 'ok';
    return { status, checks, schema: this.schema };
  }

  beforeApplicationShutdown(): void {
    this.drainState.begin();
  }

  /** Jobs wait where the database is away; what of this process does not run is restarted by its watchdog. */
  private checkQueue(): Check {
    return this.jobs.isAlive() ? OK : degraded('takes no jobs');
  }

  /** Redis is optional: without it, notifications go through the database and may arrive later. */
  private checkRedis(): Record<string, Check> {
    if (!this.redis.isConfigured) return {};
    return { redis: this.redis.isConnected ? OK : degraded('events go through the database') };
  }

  /** Without the issuer, its last keys verify tokens for a day. */
  private checkIssuer(): Record<string, Check> {
    return this.issuer.fault ? { issuer: degraded('its last keys are used') } : {};
  }

  /** A reachable database may refuse writes: a standby, or one whose disk is full. Reads go on. */
  private async checkDatabase(): Promise<Check> {
    const [found] = await this.dataSource.query<{ mode: string }[]>(
      `SELECT current_setting('transaction_read_only') AS mode`,
    );
    const fault = found?.mode === 'on' ? 'accepts no changes: it is read-only' : this.availability.refusedChange;
    return fault === undefined ? OK : degraded(fault);
  }

  /** The applied migrations must be exactly those of this version. */
  private async checkMigrations(): Promise<Check> {
    const { unknown, missing, known, applied } = await compareMigrations(this.dataSource);
    const compatible = unknown.length === 0 && missing.length === 0;
    this.schema = { known, applied, compatible };
    if (compatible) return OK;
    const reason =
      unknown.length > 0
        ? `the schema is of a later version: ${unknown.join(', ')}`
        : `not applied: ${missing.join(', ')}`;
    return { status: 'unavailable', reason };
  }

  private async probe(check: () => Promise<Check>): Promise<Check> {
    if (this.availability.isUnavailable) return degraded('did not respond');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Check>((resolve) => {
      timer = setTimeout(() => resolve(degraded('did not respond')), PROBE_TIMEOUT_MS);
    });
    const asked = check().catch(() => degraded(this.availability.refused ?? 'failed'));
    return Promise.race([asked, late]).finally(() => clearTimeout(timer));
  }
}

const OK: Check = { status: 'ok' };
const degraded = (reason: string): Check => ({ status: 'degraded', reason });
