export const LOAD_GENERATORS = ['autocannon', 'fortio', 'k6'] as const;
export type LoadGenerator = (typeof LOAD_GENERATORS)[number];

export const PROTOCOLS = ['http/1.1', 'http/2', 'grpc'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/**
 * `open`: requests are due at fixed times whatever the server does, and each is measured from the time it was due.
 * `closed`: each connection sends its next request when it has the answer to the last, and measures from sending.
 */
export const LOAD_MODELS = ['open', 'closed'] as const;
export type LoadModel = (typeof LOAD_MODELS)[number];

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];

/** An address as every generator reads it: scheme and host in lower case, and no fragment. */
export function toTarget(endpoint: string): string {
  const url = new URL(endpoint);
  url.hash = '';
  return url.href;
}

/** What a run does, as it was when the run was asked for. Nothing in it is secret. */
export interface LoadPlan {
  /** As `toTarget` makes it. */
  endpoint: string;
  protocol: Protocol;
  method: Method;
  model: LoadModel;
  /** Requests a second in all. */
  rate: number;
  connections: number;
  seconds: number;
  /** Seconds after which a request counts as failed. */
  timeout: number;
}

/** What the requests carry. */
export interface LoadContent {
  headers: Record<string, string>;
  body: string;
}

/** The task of a generator, which runs in its own process. */
export interface GeneratorTask extends LoadContent {
  generator: LoadGenerator;
  plan: LoadPlan;
  /** The numeric address that every connection goes to: it was let through, and no name is resolved again. */
  address: string;
  /** The program, for generators that are none of ours. */
  program?: string;
}
