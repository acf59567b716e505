import type { ErrorStatus } from './shared-components.js';

export const REST_OPERATION = 'armature:rest-operation';

/** What the document says of an operation beyond what its decorators imply. */
export interface OperationNotes {
  /** Errors of the work itself; those of rights, parameters, body and load are derived. */
  errors?: readonly ErrorStatus[];
  /**
   * Where the record that it creates is found, as a reference relative to the route with `{field}` of the answer;
   * `{id}` below the route unless said otherwise.
   */
  location?: string;
  /** The operation works with a token and without. */
  bearer?: 'optional';
  /** A health probe: neither counted nor limited. */
  probe?: true;
  /** A JSON body that a reader can send once the ids in it are those of own records. */
  example?: object;
  /** Another path of the same operation, kept for clients that know it. */
  deprecated?: true;
}

export interface RestOperationMetadata extends OperationNotes {
  id: string;
}
