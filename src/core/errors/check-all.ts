import { InvalidRequest } from './app-error.js';

/** The results of several checks of one request. @throws InvalidRequest with the faults that all of them have found */
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
