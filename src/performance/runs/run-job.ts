/** The queue of runs. A job and its run have the same id. */
export const RUNS_QUEUE = 'performance.run';

export interface RunPayload {
  profile: string;
}
