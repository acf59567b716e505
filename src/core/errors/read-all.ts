import { type Fault, InvalidRequest } from './app-error.js';

/** Runs every reader, so that all faults of a request are named at once. @throws InvalidRequest with the faults of all of them */
export function readAll<T extends unknown[]>(...readers: { [K in keyof T]: () => T[K] }): T {
  const refused: InvalidRequest[] = [];
  const values = readers.map((read) => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof InvalidRequest)) throw error;
      refused.push(error);
      return undefined;
    }
  });
  const [first] = refused;
  if (!first) return values as T;
  if (refused.length === 1) throw first;
  const errors = refused.flatMap((error): Fault[] => [...error.errors]);
  throw new InvalidRequest(refused.map(({ message }) => message).join('; '), { errors });
}
