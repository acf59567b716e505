import type { Fault } from '../../core/errors/app-error.js';

type JsonSchema = Record<string, unknown>;
type Json = Record<string, unknown>;

/** The metadata that a ping reports, merged into the metadata of the connection. */
export type ProbeResult = Json;

/** The definition of one kind of connection. A kind without a schema accepts any metadata. */
export interface ConnectionKind {
  name: string;
  type: string;
  subType: string;
  metadata?: JsonSchema;
  /** Schema of the secret as entered by a user. */
  secret?: JsonSchema;
  /**
   * Normalizes metadata and secret to the stored form, or reports their faults. Idempotent: the output is valid input with the same
   * result. The secret is null when it does not change.
   */
  normalize?(metadata: Json, secret: Json | null): Promise<{ metadata: Json; secret: Json | null }>;
  /** Validates a value against a schema that is not part of the server. */
  validate?(schema: JsonSchema, value: Json): Promise<Fault[]>;
  /** The addresses in the metadata, which the outbound guard checks before they are stored. */
  addresses?(metadata: Json): string[];
  /** The certificates in the metadata that those of the server are verified with, in place of those of the system. */
  authorities?(metadata: Json): string | null;
  /** The address that is called when the metadata has none. */
  defaultAddress?: string;
  /** Calls the remote system through the outbound guard, with time and size limits. @throws AppError naming what failed */
  probe?(metadata: Json, secret: Json | null): Promise<ProbeResult>;
}
