import { applyDecorators } from '@nestjs/common';
import { IsInt, Max, Min } from 'class-validator';

/** The largest number that the database has for a version. */
export const MAX_VERSION_NUMBER = 2 ** 31 - 1;

const message = 'must be the number of a version';

/** That a field of an input is the number of a version, whether there is one or not. */
export const IsVersionNumber = (): PropertyDecorator =>
  applyDecorators(IsInt({ message }), Min(1, { message }), Max(MAX_VERSION_NUMBER, { message }));
