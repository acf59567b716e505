import 'reflect-metadata';
import type { Request } from 'express';
import { AppError, type Fault, InvalidRequest } from '../errors/app-error.js';

/** Characters of the query; the longest that a client needs is a filter and a cursor. */
const LONGEST_QUERY = 8 * 1024;

/**
 * Checks what no route can make sense of, without reading what the address says.
 * @throws InvalidRequest when the path holds the NUL character, AppError 414 when the query is too long
 */
export function checkAddress({ originalUrl }: Request): void {
  const [path = '', query = ''] = originalUrl.split('?', 2);
  if (path.includes('%00')) throw new InvalidRequest('the path must not contain the NUL character');
  if (query.length <= LONGEST_QUERY) return;
  throw new AppError(414, 'URI_TOO_LONG', 'URI too long', `the query has more than ${LONGEST_QUERY} characters`, {
    remedy: 'Send fewer or shorter parameters.',
  });
}

const REPEATABLE = 'armature:repeatable';

/** Lets a parameter of a query be given several times. */
export const Repeatable = (): PropertyDecorator => (target, key) =>
  Reflect.defineMetadata(REPEATABLE, true, target, key);

/**
 * @param inputs what the handler takes, where a parameter may be marked as repeatable
 * @throws InvalidRequest naming each query parameter that is given more than once
 */
export function checkQuery({ query }: Request, inputs: readonly { readonly prototype: object }[]): void {
  const errors = Object.entries(query).flatMap(([pointer, value]): Fault[] =>
    typeof value === 'string' || inputs.some((input) => isRepeatable(input, pointer))
      ? []
      : [{ pointer, detail: 'must be given once' }],
  );
  if (errors.length === 0) return;
  throw new InvalidRequest(`${errors.map(({ pointer }) => pointer).join(', ')} must be given once`, { errors });
}

const isRepeatable = ({ prototype }: { readonly prototype: object }, name: string): boolean =>
  Reflect.getMetadata(REPEATABLE, prototype, name) === true;
