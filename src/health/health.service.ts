import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Jobs } from '../jobs/jobs.js';

const PATIENCE_MS = 2000;

/** `checks` names each part and `ok`, or what is wrong with it. */
export interface Health {
  status: 'ok' | 'unavailable' | 'draining';
  checks: Record<string, string>;
}

@Injectable()
export class HealthService implements BeforeApplicationShutdown {
  private draining = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly jobs: Jobs,
  ) {}

  async check(): Promise<Health> {
    if (this.draining) return { status: 'draining', checks: {} };
    const checks = {
      database: await this.outcome('SELECT 1'),
      migrations: await this.outcome('SELECT 1 FROM environment LIMIT 1'),
      queue: this.jobs.isAlive() ? 'ok' : 'takes no jobs',
    };
    return { status: Object.values(checks).every((outcome) => outcome === 'ok') ? 'ok' : 'unavailable', checks };
  }

  beforeApplicationShutdown(): void {
    this.draining = true;
  }

  private async outcome(sql: string): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => (timer = setTimeout(resolve, PATIENCE_MS, 'did not answer')));
    const asked = this.dataSource.query(sql).then(
      () => 'ok',
      () => 'failed',
    );
    return Promise.race([asked, late]).finally(() => clearTimeout(timer));
  }
}
