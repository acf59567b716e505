import { Injectable } from '@nestjs/common';
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import type { ConnectionKind } from './connection-kind.js';

/** The table of kinds. Later modules put theirs in; a kind that nobody put in takes any metadata and cannot be pinged. */
@Injectable()
export class ConnectionKinds {
  private readonly kinds = new Map<string, ConnectionKind>();
  private readonly ajv = addFormats.default(new Ajv({ allErrors: true, strict: false }));

  register(...kinds: ConnectionKind[]): void {
    for (const kind of kinds) this.kinds.set(kind.name, kind);
  }

  of(name: string): ConnectionKind {
    return this.kinds.get(name) ?? { name, type: 'platform', subType: 'management' };
  }

  /** Every kind with its schemas, by name. */
  all(): ConnectionKind[] {
    return [...this.kinds.values()].sort((a, b) => a.name.localeCompare(b.name));
  }

  /** @throws InvalidRequest with every fault of the metadata and the secret; it never repeats a value of the secret */
  check(kind: ConnectionKind, metadata: object, secret: object | null): void {
    const errors = [
      ...this.faults(kind.metadata, metadata, '/metadata'),
      ...(secret ? this.faults(kind.secret, secret, '/credential_secret') : []),
    ];
    if (errors.length > 0)
      throw new InvalidRequest(errors.map((error) => `${error.pointer?.slice(1)} ${error.detail}`).join('; '), {
        errors,
      });
  }

  private faults(schema: object | undefined, value: object, at: string): Fault[] {
    if (!schema || this.ajv.validate(schema, value)) return [];
    return (this.ajv.errors ?? []).map((error: ErrorObject) => ({
      pointer: at + error.instancePath,
      detail:
        error.keyword === 'additionalProperties'
          ? `does not take ${String(error.params['additionalProperty'])}`
          : (error.message ?? 'is wrong'),
    }));
  }
}
