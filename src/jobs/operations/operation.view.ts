import type { Response } from 'express';
import { IdField, MapField, ProblemField, TextField, TimeField, WordField } from '../../core/schema/view-fields.js';
import { type Job, JOB_STATUSES, type JobStatus } from '../job.js';

/** A job as callers see it. */
export class OperationView {
  @IdField({ rest: true })
  id!: string;

  @TextField({ rest: true, description: 'The kind of work.' })
  kind!: string;

  @WordField(JOB_STATUSES, { rest: true })
  status!: JobStatus;

  @MapField({ rest: true, nullable: true, description: 'The progress; its fields depend on the kind.' })
  progress!: object | null;

  @MapField({ rest: true, nullable: true, description: 'The result, once it has succeeded.' })
  result!: unknown;

  @ProblemField({ description: 'The problem, once it has failed.' })
  error!: object | null;

  @TimeField({ rest: true })
  created_at!: Date;

  @TimeField({ rest: true })
  updated_at!: Date;

  @TimeField({ rest: true, nullable: true })
  finished_at!: Date | null;

  static fromEntity(this: void, job: Job): OperationView {
    return Object.assign(new OperationView(), {
      id: job.id,
      kind: job.queue,
      status: job.status,
      progress: job.progress,
      result: job.result,
      error: job.status === 'failed' ? job.error : null,
      created_at: job.createdAt,
      updated_at: job.updatedAt,
      finished_at: job.finishedAt,
    });
  }
}

/** Sets status 202 and the Location of the operation. @returns the body */
export function respondAccepted(response: Response, job: Job): OperationView {
  response.status(202).location(`/api/operations/${job.id}`);
  return OperationView.fromEntity(job);
}
