import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { AppError } from '../errors/app-error.js';
import { identifyRevision, type RevisedRecord } from '../schema/record.view.js';

/** Entity tags, or `any`. */
type Tags = string[] | 'any';

/** The precondition of a request: its `If-Match` and `If-None-Match`, if any. */
export class Precondition {
  private constructor(
    /** The record exists and has one of these tags. */
    private readonly match: Tags | null,
    /** The record does not exist, or has none of these tags. */
    private readonly noneMatch: Tags | null,
  ) {}

  static readonly none = new Precondition(null, null);

  static parse(match: string | undefined, noneMatch?: string): Precondition {
    return match === undefined && noneMatch === undefined
      ? Precondition.none
      : new Precondition(parseTags(match), parseTags(noneMatch));
  }

  /** @throws AppError 412 when the record has changed since it was read, does not exist, or exists against If-None-Match */
  assertMatches(record: RevisedRecord | null): void {
    if (this.match && !(record && includes(this.match, record)))
      throw preconditionFailed(
        'the record has changed since it was read',
        'Read it again and send the ETag of that response as If-Match.',
      );
    if (this.noneMatch && record && includes(this.noneMatch, record))
      throw preconditionFailed(
        'the record is in a state that If-None-Match excludes',
        'Leave If-None-Match out to change what is there, or send the ETag that was read as If-Match.',
      );
  }
}

const parseTags = (header: string | undefined): Tags | null => {
  if (header === undefined) return null;
  if (header.trim() === '*') return 'any';
  return header.split(',').map((tag) => tag.trim().replace(/^W\//, '').replace(/"/g, ''));
};

const includes = (tags: Tags, record: RevisedRecord): boolean => {
  const revision = identifyRevision(record);
  return tags === 'any' || tags.some((tag) => tag.split('-')[0] === revision);
};

const preconditionFailed = (detail: string, remedy: string): AppError =>
  new AppError(412, 'PRECONDITION_FAILED', 'Precondition failed', detail, { remedy });

const InjectIfMatch = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { headers } = context.switchToHttp().getRequest<Request>();
  return Precondition.parse(headers['if-match'], headers['if-none-match']);
});

/** Injects the `If-Match` and `If-None-Match` headers as a Precondition. */
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
