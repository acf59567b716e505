export type AbortReason = 'cancelled' | 'lease lost' | 'shutting down';

/**
 * The reason of a job's `AbortSignal`. Only `cancelled` ends the job: after `shutting down` another replica runs it
 * again, and after `lease lost` another worker already does.
 */
export class JobAborted extends Error {
  constructor(readonly reason: AbortReason) {
    super(`the job was aborted: ${reason}`);
    this.name = 'JobAborted';
  }
}
