import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics of this process, in the Prometheus text format. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  readonly requests = new Histogram({
    name: 'armature_http_request_duration_seconds',
    help: 'Duration of HTTP requests in seconds, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [this.registry],
  });

  readonly jobs = new Counter({
    name: 'armature_jobs_total',
    help: 'Finished jobs, by queue and outcome.',
    labelNames: ['queue', 'outcome'],
    registers: [this.registry],
  });

  readonly mails = new Counter({
    name: 'armature_mails_total',
    help: 'Attempts to send a mail, by outcome: sent, failed (the mail server is away or refuses for now) or refused (for good).',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  readonly deployments = new Histogram({
    name: 'armature_deployment_duration_seconds',
    help: 'Duration of deployments in seconds, by action and status.',
    labelNames: ['action', 'status'],
    buckets: [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
    registers: [this.registry],
  });

  readonly clusterRequests = new Histogram({
    name: 'armature_cluster_request_duration_seconds',
    help: 'Duration of requests to clusters in seconds, including retries, by outcome (ok, or the kind of failure).',
    labelNames: ['outcome'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
    registers: [this.registry],
  });

  readonly graphqlErrors = new Counter({
    name: 'armature_graphql_errors_total',
    help: 'GraphQL errors, by code. Their HTTP status is 200.',
    labelNames: ['code'],
    registers: [this.registry],
  });

  readonly sockets = new Gauge({
    name: 'armature_graphql_sockets',
    help: 'Open GraphQL sockets.',
    registers: [this.registry],
  });

  readonly programIsolation = new Gauge({
    name: 'armature_program_isolation',
    help: '1 when helm and kustomize run in separate Linux namespaces, 0 when this system does not allow it.',
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    // Gauges whose names say that they are counters; the metrics by type have the same numbers.
    for (const name of ['handles', 'requests', 'resources'])
      this.registry.removeSingleMetric(`nodejs_active_${name}_total`);
  }
}
