import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DatabaseAvailability } from '../core/database/availability.js';
import { Drain } from '../core/lifecycle/drain.js';
import { Jobs } from '../jobs/jobs.js';

const PATIENCE_MS = 2000;

/** `checks` names each part and `ok`, or what is wrong with it. */
export interface Health {
  status: 'ok' | 'unavailable' | 'draining';
  checks: Record<string, string>;
}

@Injectable()
export class HealthService implements BeforeApplicationShutdown {
  constructor(
    private readonly dataSource: DataSource,
    private readonly jobs: Jobs,
    private readonly availability: DatabaseAvailability,
    private readonly drain: Drain,
  ) {}

  async check(): Promise<Health> {
    if (this.drain.hasBegun) return { status: 'draining', checks: {} };
    const [database, migrations] = await Promise.all([
      this.outcome('SELECT 1'),
      this.outcome('SELECT 1 FROM environment LIMIT 1'),
    ]);
    const checks = { database, migrations, queue: this.jobs.isAlive() ? 'ok' : 'takes no jobs' };
    return { status: Object.values(checks).every((outcome) => outcome === 'ok') ? 'ok' : 'unavailable', checks };
  }

  beforeApplicationShutdown(): void {
    this.drain.begin();
  }

  private async outcome(sql: string): Promise<string> {
    if (this.availability.isAway) return 'did not answer';
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => (timer = setTimeout(resolve, PATIENCE_MS, 'did not answer')));
    const asked = this.dataSource.query(sql).then(
      () => 'ok',
      () => 'failed',
    );
    return Promise.race([asked, late]).finally(() => clearTimeout(timer));
  }
}
