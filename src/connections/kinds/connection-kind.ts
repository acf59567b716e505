import type { Fault } from '../../core/errors/app-error.js';

type JsonSchema = Record<string, unknown>;
type Json = Record<string, unknown>;

/** What a ping found out, to be merged into the connection's metadata. */
export type ProbeResult = Json;

/** What the server knows of one kind of connection. A kind without a schema takes any metadata. */
export interface ConnectionKind {
  name: string;
  type: string;
  subType: string;
  metadata?: JsonSchema;
  /** Of the secret as a user enters it. */
  secret?: JsonSchema;
  /**
   * Brings metadata and secret into the form that is kept, or finds what is wrong with them. What it kept it takes again,
   * and gives the same. A secret that changes nothing is null.
   */
  normalize?(metadata: Json, secret: Json | null): Promise<{ metadata: Json; secret: Json | null }>;
  /** Judges a value by one of the schemas where these are foreign; the server's own are judged without it. */
  validate?(schema: JsonSchema, value: Json): Promise<Fault[]>;
  /** The addresses in its metadata, which the outbound guard is asked about before they are kept. */
  addresses?(metadata: Json): string[];
  /** Calls the other side, bounded and through the outbound guard. @throws AppError saying what failed */
  probe?(metadata: Json, secret: Json | null): Promise<ProbeResult>;
}
