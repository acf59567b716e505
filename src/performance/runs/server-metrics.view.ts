import {
  FlagField,
  IdField,
  MapsField,
  NumberField,
  PairsField,
  TextField,
  TextMapField,
} from '../../core/schema/view-fields.js';
import type { MetricSeries, QueryMetrics, ServerMetrics } from './server-metrics.js';

const REST = { rest: true } as const;

class MetricSeriesView implements MetricSeries {
  @TextMapField(REST)
  labels!: Record<string, string>;

  @PairsField({ ...REST, description: 'Pairs of Unix seconds and the value as text.' })
  values!: [number, string][];
}

class QueryMetricsView implements QueryMetrics {
  @TextField(REST)
  query!: string;

  @TextField({ ...REST, optional: true, description: 'Why there are none.' })
  error?: string;

  @MapsField({ ...REST, of: () => MetricSeriesView })
  series!: MetricSeries[];

  @FlagField({ ...REST, description: 'Whether there were more series than are kept.' })
  truncated!: boolean;
}

/** Metrics of the server during a run, from Prometheus. */
export class ServerMetricsView implements ServerMetrics {
  @IdField(REST)
  connection_id!: string;

  @NumberField({ ...REST, description: 'Unix seconds.' })
  start!: number;

  @NumberField({ ...REST, description: 'Unix seconds.' })
  end!: number;

  @NumberField({ ...REST, description: 'Seconds between values.' })
  step!: number;

  @MapsField({ ...REST, of: () => QueryMetricsView })
  queries!: QueryMetrics[];
}
