/** Metrics of the server during a run, from Prometheus. */
export interface ServerMetrics {
  connection_id: string;
  /** Unix seconds. */
  start: number;
  end: number;
  /** Seconds. */
  step: number;
  queries: QueryMetrics[];
}

export interface QueryMetrics {
  query: string;
  /** Why there are none. */
  error?: string;
  series: MetricSeries[];
  /** Whether there were more series than are kept. */
  truncated: boolean;
}

export interface MetricSeries {
  labels: Record<string, string>;
  /** Pairs of Unix seconds and the value as text. */
  values: [number, string][];
}

/** Bounds of what is kept with one result. */
export const MAX_SERIES = 5;
export const MAX_POINTS = 60;
const MAX_LABELS = 30;
const MAX_TEXT = 200;

/** Series of an answer of Prometheus to a query over a range; what is none is left out. */
export function toSeries(answer: unknown): Pick<QueryMetrics, 'series' | 'truncated'> {
  const { data } = answer as { data?: { result?: unknown } };
  const result = Array.isArray(data?.result) ? (data.result as unknown[]) : [];
  const series = result.slice(0, MAX_SERIES).map((each): MetricSeries => {
    const { metric, values } = each as { metric?: Record<string, unknown>; values?: unknown };
    return {
      labels: Object.fromEntries(
        Object.entries(metric ?? {})
          .slice(0, MAX_LABELS)
          .map(([name, value]) => [name.slice(0, MAX_TEXT), String(value).slice(0, MAX_TEXT)]),
      ),
      values: (Array.isArray(values) ? (values as [number, unknown][]) : [])
        .slice(0, MAX_POINTS + 1)
        .map(([at, value]) => [Number(at), String(value).slice(0, 40)]),
    };
  });
  return { series, truncated: result.length > MAX_SERIES };
}
