import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { BaseEntity } from '../database/base.entity.js';
import { AppError } from '../errors/app-error.js';

/** What the caller believes the record to be: the `If-Match` of the request, or nothing. */
export class Precondition {
  private constructor(private readonly tags: string[] | null) {}

  static readonly none = new Precondition(null);

  static parse(header: string | undefined): Precondition {
    if (header === undefined || header.trim() === '*') return Precondition.none;
    return new Precondition(header.split(',').map((tag) => tag.trim().replace(/^W\//, '').replace(/"/g, '')));
  }

  /** @throws AppError 412 when the record has moved on since the caller read it */
  assertMatches(record: BaseEntity): void {
    if (!this.tags || this.tags.some((tag) => tag.split('-')[0] === String(record.revision))) return;
    throw new AppError(412, 'PRECONDITION_FAILED', 'Precondition failed', 'the record has changed since it was read', {
      remedy: 'Read it again and send the ETag of that answer as If-Match.',
    });
  }
}

/** The `If-Match` header of the request as a Precondition. */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext) =>
  Precondition.parse(context.switchToHttp().getRequest<Request>().headers['if-match']),
);
