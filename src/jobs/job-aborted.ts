export type AbortReason = 'cancelled' | 'lease lost' | 'shutting down';

/**
 * The reason of a job's `AbortSignal`. Only `cancelled` ends the job: after `shutting down` it is run again by another
 * replica, and after `lease lost` another runs it already.
 */
export class JobAborted extends Error {
  constructor(readonly reason: AbortReason) {
    super(`the job was aborted: ${reason}`);
    this.name = 'JobAborted';
  }
}
