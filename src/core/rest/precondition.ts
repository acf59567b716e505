import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { AppError } from '../errors/app-error.js';
import { identifyRevision, type RevisedRecord } from '../schema/record.view.js';

/** What the caller believes the record to be: the `If-Match` of the request, or nothing. */
export class Precondition {
  /** @param tags null where any state of the record will do */
  private constructor(
    private readonly tags: string[] | null,
    private readonly mustExist = true,
  ) {}

  static readonly none = new Precondition(null, false);

  static parse(header: string | undefined): Precondition {
    if (header === undefined) return Precondition.none;
    if (header.trim() === '*') return new Precondition(null);
    return new Precondition(header.split(',').map((tag) => tag.trim().replace(/^W\//, '').replace(/"/g, '')));
  }

  /** @throws AppError 412 when the record has changed since the caller read it, or is not there */
  assertMatches(record: RevisedRecord | null): void {
    if (record ? this.accepts(record) : !this.mustExist) return;
    throw new AppError(412, 'PRECONDITION_FAILED', 'Precondition failed', 'the record has changed since it was read', {
      remedy: 'Read it again and send the ETag of that answer as If-Match.',
    });
  }

  private accepts(record: RevisedRecord): boolean {
    if (!this.tags) return true;
    const revision = identifyRevision(record);
    return this.tags.some((tag) => tag.split('-')[0] === revision);
  }
}

const InjectIfMatch = createParamDecorator((_: unknown, context: ExecutionContext) =>
  Precondition.parse(context.switchToHttp().getRequest<Request>().headers['if-match']),
);

/** The `If-Match` header of the request as a Precondition. */
export const IfMatch = (): ParameterDecorator => {
  const inject = InjectIfMatch();
  return (target, key, index) => {
    inject(target, key, index);
    const descriptor = Object.getOwnPropertyDescriptor(target, key as string);
    if (descriptor) IF_MATCH_HEADER(target, key as string, descriptor);
  };
};

const IF_MATCH_HEADER = ApiHeader({
  name: 'If-Match',
  required: false,
  description: 'The ETag that the record had when it was read; 412 when it has changed since.',
});
