/** What every call takes beside what its operation does. */
export interface CallSettings {
  /** Headers to send; those of the client itself can be replaced. */
  headers?: Record<string, string | undefined>;
  /** Ends the call; it rejects as `fetch` does. */
  signal?: AbortSignal;
}

/** What a method for an operation takes: its body, path and query, as the API describes them. */
export type CallOptions<Data> = Omit<Data, 'url' | 'headers'> &
  CallSettings & { headers?: Data extends { headers?: infer Known } ? Known : unknown };
