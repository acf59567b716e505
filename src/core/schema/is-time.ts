import { isISO8601, ValidateBy } from 'class-validator';

/**
 * The ISO 8601 formats that `Date` parses: a year, a month, a day or a time. It does not parse weeks, ordinal dates
 * and the basic format.
 */
const READABLE = /^\d{4}(-\d\d){0,2}$|^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

const isTime = (value: unknown): boolean =>
  typeof value === 'string' &&
  READABLE.test(value) &&
  isISO8601(value, { strict: true }) &&
  Number.isFinite(Date.parse(value));

/** Validates text that `new Date` parses to the same date. */
export const IsTime = (): PropertyDecorator =>
  ValidateBy({
    name: 'isTime',
    validator: { validate: isTime, defaultMessage: () => 'must be a time in ISO 8601, such as 2027-01-31T18:00:00Z' },
  });
