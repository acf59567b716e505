import { InvalidRequest } from './app-error.js';

/**
 * Runs several checks of one request and returns their results.
 * @throws InvalidRequest with the faults of all checks
 */
export function checkAll<const C extends readonly (() => unknown)[]>(
  ...checks: C
): { [I in keyof C]: ReturnType<C[I]> } {
  const refusals: InvalidRequest[] = [];
  const results = checks.map((check) => {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof InvalidRequest)) throw error;
      return void refusals.push(error);
    }
  });
  const [first, ...others] = refusals;
  if (first && others.length === 0) throw first;
  if (first)
    throw new InvalidRequest(refusals.map(({ message }) => message).join('; '), {
      errors: refusals.flatMap(({ errors }) => errors),
    });
  return results as { [I in keyof C]: ReturnType<C[I]> };
}
