import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { SerializedJson } from '../../core/rest/serialized-json.js';
import { MonitoringClient, type MonitoringServer, TIMEOUT_MS } from '../monitoring-client.js';
import { explainPrometheusError, prometheusTask } from './prometheus-answer.js';
import type { InstantQuery, LabelsQuery, MetadataQuery, RangeQuery } from './prometheus.inputs.js';
import { assertRange } from './query-time.js';

type Parameters = Record<string, string | string[] | undefined>;

export const PROMETHEUS: MonitoringServer = {
  kind: 'prometheus',
  name: 'Prometheus',
  explain: explainPrometheusError,
};

/** The timeout that Prometheus applies to queries, so that it ends them when this server no longer waits. */
const TIMEOUT = `${TIMEOUT_MS / 1000}s`;

/** Queries Prometheus through its HTTP API (https://prometheus.io/docs/prometheus/latest/querying/api/). */
@Injectable()
export class PrometheusService {
  constructor(private readonly client: MonitoringClient) {}

  query(actor: Actor, id: string, { query, time, limit }: InstantQuery): Promise<SerializedJson> {
    return this.get(actor, id, '/api/v1/query', { query, time, limit, timeout: TIMEOUT });
  }

  async queryRange(actor: Actor, id: string, range: RangeQuery): Promise<SerializedJson> {
    assertRange(range);
    const { query, start, end, step, limit } = range;
    return this.get(actor, id, '/api/v1/query_range', { query, start, end, step, limit, timeout: TIMEOUT });
  }

  async listLabels(actor: Actor, id: string, query: LabelsQuery): Promise<SerializedJson> {
    const { start, end, limit } = query;
    assertRange({ start, end });
    return this.get(actor, id, '/api/v1/labels', { 'match[]': query['match[]'], start, end, limit });
  }

  listMetadata(actor: Actor, id: string, { metric, limit }: MetadataQuery): Promise<SerializedJson> {
    return this.get(actor, id, '/api/v1/metadata', { metric, limit });
  }

  private async get(actor: Actor, id: string, path: string, given: Parameters): Promise<SerializedJson> {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(given))
      for (const each of value === undefined ? [] : [value].flat()) parameters.append(name, each);
    const limit = typeof given['limit'] === 'string' ? Number(given['limit']) : undefined;
    return SerializedJson.fromBytes(
      await this.client.get(actor, id, PROMETHEUS, { path, parameters, task: prometheusTask, limit }),
    );
  }
}
