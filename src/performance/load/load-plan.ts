export const LOAD_GENERATORS = ['autocannon', 'fortio', 'k6'] as const;
export type LoadGenerator = (typeof LOAD_GENERATORS)[number];

export const PROTOCOLS = ['http/1.1', 'http/2', 'grpc'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/**
 * `open`: requests are due at fixed times, independent of responses, and measured from the time they were due.
 * `closed`: each connection sends its next request after the response to the previous one, and measures from sending.
 */
export const LOAD_MODELS = ['open', 'closed'] as const;
export type LoadModel = (typeof LOAD_MODELS)[number];

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];

/** Normalizes a URL for all generators: scheme and host in lower case, no fragment. */
export function toTarget(endpoint: string): string {
  const url = new URL(endpoint);
  url.hash = '';
  return url.href;
}

/** A part of a run in which the rate changes evenly to this one; one of 0 seconds is a step. */
export interface RateStage {
  /** Requests per second at its end. */
  rate: number;
  seconds: number;
}

/** The settings of a run at the time of its request. They contain no secrets. */
export interface LoadPlan {
  /** Normalized by `toTarget`. */
  endpoint: string;
  protocol: Protocol;
  method: Method;
  model: LoadModel;
  /** Total requests per second; with stages, at the start. */
  rate: number;
  /** How the rate changes, evenly within each stage. */
  stages?: RateStage[];
  /** The most connections at a time. */
  connections: number;
  /** The connections at the start, when more are opened as the rate needs them; default: all. */
  initialConnections?: number;
  seconds: number;
  /** The timeout of a request in seconds. */
  timeout: number;
}

/** The headers and the body of the requests. */
export interface LoadContent {
  headers: Record<string, string>;
  body: string;
}

/** The input of a generator process. */
export interface GeneratorTask extends LoadContent {
  generator: LoadGenerator;
  plan: LoadPlan;
  /** The allowed IP address for all connections; the name is not resolved again. */
  address: string;
  /** The path of the program of an external generator. */
  program?: string;
}
