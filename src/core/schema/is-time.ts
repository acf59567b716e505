import { isISO8601, ValidateBy } from 'class-validator';

/** What `Date` reads of ISO 8601: a year, a month, a day or a moment. Weeks, days of a year and the basic format it does not. */
const READABLE = /^\d{4}(-\d\d){0,2}$|^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

const isTime = (value: unknown): boolean =>
  typeof value === 'string' &&
  READABLE.test(value) &&
  isISO8601(value, { strict: true }) &&
  Number.isFinite(Date.parse(value));

/** A text that `new Date` reads as the time that it says. */
export const IsTime = (): PropertyDecorator =>
  ValidateBy({
    name: 'isTime',
    validator: { validate: isTime, defaultMessage: () => 'must be a time in ISO 8601, such as 2027-01-31T18:00:00Z' },
  });
