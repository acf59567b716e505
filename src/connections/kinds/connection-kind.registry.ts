import { Injectable } from '@nestjs/common';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import { certificatesKeyword, toFaults } from './schema-faults.js';
import type { ConnectionKind } from './connection-kind.js';

type Json = Record<string, unknown>;

/** Characters as JSON: a kubeconfig has at most one million, and grows when it is quoted. */
const MAX_METADATA = 256 * 1024;
const MAX_SECRET = 2 * 1024 * 1024;
const MAX_MEMBERS = 1000;

/** The connection kinds. Later modules register theirs; an unregistered kind accepts any metadata and cannot be pinged. */
@Injectable()
export class ConnectionKindRegistry {
  private readonly kinds = new Map<string, ConnectionKind>();
  private defined = new Map<string, ConnectionKind>();
  private readonly ajv = addFormats.default(
    new Ajv({ allErrors: true, strict: false, keywords: [certificatesKeyword] }),
  );
  /** Schemas of the server's own kinds, compiled on first use to keep the start fast. */
  private readonly ownSchemas = new Set<object>();

  /** Registers kinds whose schemas are part of this server. */
  register(...kinds: ConnectionKind[]): void {
    for (const kind of kinds) {
      this.kinds.set(kind.name, kind);
      for (const schema of [kind.metadata, kind.secret]) if (schema) this.ownSchemas.add(schema);
    }
  }

  /** Defines kinds of the registry; they replace those it defined before, but not the server's own. */
  define(kinds: ConnectionKind[]): void {
    this.defined = new Map(kinds.map((kind) => [kind.name, kind]));
  }

  get(name: string): ConnectionKind {
    return this.kinds.get(name) ?? this.defined.get(name) ?? { name, type: 'platform', subType: 'management' };
  }

  /** Every kind with its schemas, by name. */
  list(): ConnectionKind[] {
    return [...new Map([...this.defined, ...this.kinds]).values()].sort((a, b) => a.name.localeCompare(b.name));
  }

  /**
   * Normalizes the input to its stored form.
   * @throws InvalidRequest with every fault of the metadata and the secret, without values of the secret
   */
  async normalize(
    kind: ConnectionKind,
    metadata: Json,
    secret: Json | null,
  ): Promise<{ metadata: Json; secret: Json | null }> {
    assertBounded(metadata, MAX_METADATA, '/metadata');
    const wrong = secret ? await this.findSecretFaults(kind, secret, '/credential_secret') : [];
    const normal = wrong.length === 0 && kind.normalize ? await kind.normalize(metadata, secret) : { metadata, secret };
    assertNoFaults([...(await this.findFaults(kind, kind.metadata, normal.metadata, '/metadata')), ...wrong]);
    return normal;
  }

  /** As `normalize`, for a secret alone; `at` is the pointer to it in the input. */
  async normalizeSecret(kind: ConnectionKind, secret: Json, at: string): Promise<Json> {
    assertNoFaults(await this.findSecretFaults(kind, secret, at));
    return (await kind.normalize?.({}, secret))?.secret ?? secret;
  }

  /**
   * Converts a stored secret to the form that connections of this kind use.
   * @throws InvalidRequest when it is unusable for them
   */
  async resolveSecret(kind: ConnectionKind, metadata: Json, kept: Json, at = '/credential_id'): Promise<Json> {
    if (kind.normalize) return (await kind.normalize(metadata, kept)).secret ?? kept;
    assertNoFaults(await this.findFaults(kind, kind.secret, kept, at));
    return kept;
  }

  private findSecretFaults(kind: ConnectionKind, secret: Json, at: string): Promise<Fault[]> {
    assertBounded(secret, MAX_SECRET, at);
    return this.findFaults(kind, kind.secret, secret, at);
  }

  private async findFaults(kind: ConnectionKind, schema: Json | undefined, value: Json, at: string): Promise<Fault[]> {
    if (!schema) return [];
    if (kind.validate)
      return (await kind.validate(schema, value)).map((fault) => ({ ...fault, pointer: at + (fault.pointer ?? '') }));
    if (!this.ownSchemas.has(schema)) throw new Error(`the schema of the kind ${kind.name} was not registered`);
    const validate = this.ajv.compile(schema);
    return validate(value) ? [] : toFaults(validate.errors ?? [], at);
  }
}

/** @throws InvalidRequest when validating the value would take too long */
function assertBounded(value: Json, characters: number, at: string): void {
  if (Object.keys(value).length > MAX_MEMBERS)
    throw InvalidRequest.forField(at, `must have at most ${MAX_MEMBERS} fields`);
  if (JSON.stringify(value).length > characters)
    throw InvalidRequest.forField(at, `must have at most ${characters} characters as JSON`);
}

function assertNoFaults(errors: Fault[]): void {
  if (errors.length === 0) return;
  throw new InvalidRequest(errors.map((error) => `${error.pointer?.slice(1)} ${error.detail}`).join('; '), { errors });
}
