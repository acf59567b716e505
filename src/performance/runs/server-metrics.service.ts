import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { AppError } from '../../core/errors/app-error.js';
import { PrometheusService } from '../../monitoring/prometheus/prometheus.service.js';
import type { PerformanceProfile } from '../profiles/profile.entity.js';
import { MAX_POINTS, MAX_SERIES, type QueryMetrics, type ServerMetrics, toSeries } from './server-metrics.js';

/** The Prometheus queries when a profile names none: metrics that most programs expose. */
const DEFAULT_QUERIES = ['rate(process_cpu_seconds_total[1m])', 'process_resident_memory_bytes'];

/** Reads metrics of the server for the minutes of a run, by the rights of who asked for it. */
@Injectable()
export class ServerMetricsService {
  constructor(private readonly prometheus: PrometheusService) {}

  /** Null when the profile has no Prometheus; what cannot be read says why. */
  async read(actor: Actor, profile: PerformanceProfile, from: Date, to: Date): Promise<ServerMetrics | null> {
    const { metricsConnectionId: connection, metricsQueries } = profile;
    if (!connection) return null;
    const [start, end] = [Math.floor(from.getTime() / 1_000), Math.ceil(to.getTime() / 1_000)];
    const step = Math.max(1, Math.ceil((end - start) / MAX_POINTS));
    const queries: QueryMetrics[] = [];
    for (const query of metricsQueries.length > 0 ? metricsQueries : DEFAULT_QUERIES)
      queries.push(await this.query(actor, connection, { query, start, end, step }));
    return { connection_id: connection, start, end, step, queries };
  }

  private async query(
    actor: Actor,
    connection: string,
    { query, start, end, step }: { query: string; start: number; end: number; step: number },
  ): Promise<QueryMetrics> {
    try {
      const limit = String(MAX_SERIES + 1);
      const range = { query, start: String(start), end: String(end), step: String(step), limit };
      const { pieces } = await this.prometheus.queryRange(actor, connection, range);
      return { query, ...toSeries(JSON.parse(Buffer.concat([...pieces]).toString())) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { query, error: error.message, series: [], truncated: false };
    }
  }
}
