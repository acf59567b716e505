import { Injectable } from '@nestjs/common';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import { faultsOf } from './schema-faults.js';
import type { ConnectionKind } from './connection-kind.js';

type Json = Record<string, unknown>;

/** The table of kinds. Later modules put theirs in; a kind that nobody put in takes any metadata and cannot be pinged. */
@Injectable()
export class ConnectionKinds {
  private readonly kinds = new Map<string, ConnectionKind>();
  private defined = new Map<string, ConnectionKind>();
  private readonly ajv = addFormats.default(new Ajv({ allErrors: true, strict: false }));

  register(...kinds: ConnectionKind[]): void {
    for (const kind of kinds) this.kinds.set(kind.name, kind);
  }

  /** Kinds that the registry defines, in place of those it defined before; the server's own are not replaced. A schema that cannot be compiled is left out. */
  define(kinds: ConnectionKind[]): void {
    this.defined = new Map(
      kinds.map(({ metadata, secret, ...kind }) => [
        kind.name,
        { ...kind, ...(this.compiles(metadata) ? { metadata } : {}), ...(this.compiles(secret) ? { secret } : {}) },
      ]),
    );
  }

  of(name: string): ConnectionKind {
    return this.kinds.get(name) ?? this.defined.get(name) ?? { name, type: 'platform', subType: 'management' };
  }

  /** Every kind with its schemas, by name. */
  all(): ConnectionKind[] {
    return [...new Map([...this.defined, ...this.kinds]).values()].sort((a, b) => a.name.localeCompare(b.name));
  }

  /**
   * What a user entered, in the form that is kept.
   * @throws InvalidRequest with every fault of the metadata and the secret; it never repeats a value of the secret
   */
  take(kind: ConnectionKind, metadata: Json, secret: Json | null): { metadata: Json; secret: Json | null } {
    const wrong = secret ? this.faults(kind.secret, secret, '/credential_secret') : [];
    const normal = wrong.length === 0 && kind.normalize ? kind.normalize(metadata, secret) : { metadata, secret };
    refuse([...this.faults(kind.metadata, normal.metadata, '/metadata'), ...wrong]);
    return normal;
  }

  /** The same for a secret that stands alone; `at` is where the user entered it. */
  takeSecret(kind: ConnectionKind, secret: Json, at: string): Json {
    refuse(this.faults(kind.secret, secret, at));
    return kind.normalize?.({}, secret).secret ?? secret;
  }

  /**
   * A kept secret as connections of this kind use it, whatever it was kept as.
   * @throws InvalidRequest when it is of no use to them
   */
  use(kind: ConnectionKind, metadata: Json, kept: Json, at = '/credential_id'): Json {
    if (kind.normalize) return kind.normalize(metadata, kept).secret ?? kept;
    refuse(this.faults(kind.secret, kept, at));
    return kept;
  }

  private compiles(schema: object | undefined): schema is object {
    try {
      return schema !== undefined && this.ajv.compile(schema) !== undefined;
    } catch {
      return false;
    }
  }

  private faults(schema: object | undefined, value: object, at: string): Fault[] {
    if (!schema || this.ajv.validate(schema, value)) return [];
    return faultsOf(this.ajv.errors ?? [], at);
  }
}

function refuse(errors: Fault[]): void {
  if (errors.length === 0) return;
  throw new InvalidRequest(errors.map((error) => `${error.pointer?.slice(1)} ${error.detail}`).join('; '), { errors });
}
