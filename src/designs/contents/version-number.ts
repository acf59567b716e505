import { applyDecorators } from '@nestjs/common';
import { IsInt, Max, Min } from 'class-validator';
import { gt, inc, valid } from 'semver';

/** The maximum version number that the database column holds. */
export const MAX_VERSION_NUMBER = 2 ** 31 - 1;

const message = 'must be the number of a version';

/** Validates that a field of an input is a version number. */
export const IsVersionNumber = (): PropertyDecorator =>
  applyDecorators(IsInt({ message }), Min(1, { message }), Max(MAX_VERSION_NUMBER, { message }));

const FIRST_VERSION = '0.0.1';

/** The version of a new design: the one set by its author if it is semver, else the default. */
export const firstVersion = (written: string): string => valid(written) ?? FIRST_VERSION;

/** Whether a version from the author is semver and higher than another. */
export function isHigherVersion(written: string, last: string): boolean {
  const wanted = valid(written);
  return wanted !== null && gt(wanted, valid(last) ?? '0.0.0');
}

/** The next version: the one set by the author if it is semver and higher, else the next patch version. */
export function nextVersion(last: string, written: string): string {
  if (isHigherVersion(written, last)) return firstVersion(written);
  return inc(last, 'patch') ?? FIRST_VERSION;
}
