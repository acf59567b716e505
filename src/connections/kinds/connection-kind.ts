import type { Fault } from '../../core/errors/app-error.js';

type JsonSchema = Record<string, unknown>;
type Json = Record<string, unknown>;

/** The findings of a ping, merged into the connection's metadata. */
export type ProbeResult = Json;

/** The definition of one kind of connection. A kind without a schema accepts any metadata. */
export interface ConnectionKind {
  name: string;
  type: string;
  subType: string;
  metadata?: JsonSchema;
  /** For the secret as a user enters it. */
  secret?: JsonSchema;
  /**
   * Normalizes metadata and secret into the stored form, or reports their faults. It is idempotent: its output is valid input
   * with the same result. The secret is null when it does not change.
   */
  normalize?(metadata: Json, secret: Json | null): Promise<{ metadata: Json; secret: Json | null }>;
  /** Validates a value against a schema from outside; the server's own schemas do not need it. */
  validate?(schema: JsonSchema, value: Json): Promise<Fault[]>;
  /** The addresses in its metadata, which the outbound guard checks before they are stored. */
  addresses?(metadata: Json): string[];
  /** Calls the remote system, bounded and through the outbound guard. @throws AppError naming what failed */
  probe?(metadata: Json, secret: Json | null): Promise<ProbeResult>;
}
