import type { ErrorStatus } from './shared-components.js';

export const REST_OPERATION = 'armature:rest-operation';

/** The documentation of an operation that its decorators do not imply. */
export interface OperationNotes {
  /** Errors of the operation itself; those of permissions, parameters, body and load are derived. */
  errors?: readonly ErrorStatus[];
  /**
   * The location of the created record, as a reference relative to the route with `{field}` of the response;
   * default `{id}` below the route.
   */
  location?: string;
  /** The operation works with and without a token. */
  bearer?: 'optional';
  /** A health probe, which is exempt from rate limits. */
  probe?: true;
  /** An alias path, kept for older clients. */
  deprecated?: true;
}

export interface RestOperationMetadata extends OperationNotes {
  id: string;
}
