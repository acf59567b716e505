import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { newId } from '../../core/database/base.entity.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type {
  ComponentDefinition,
  ModelDefinition,
  RegistrantDefinition,
  RelationshipDefinition,
} from '../../formats/definitions/definitions.js';
import { parseStatus } from '../entities/entry-status.js';
import { toCategorySlug, UNCATEGORIZED } from '../../formats/definitions/category.js';
import { toVersionOrder } from '../models/version-order.js';

/** The maximum characters of JSON and schemas in one statement. */
const MAX_STATEMENT_CHARACTERS = 4_000_000;

/** The fields of an existing record that registration needs. */
export interface StoredDefinition {
  id: string;
  digest: string;
  deletedAt: Date | null;
}

export interface StoredModel extends StoredDefinition {
  status: string;
  revision: number;
}

/** A definition to be written, under its existing or new id. */
export interface DefinitionToWrite<D> {
  id: string;
  digest: string;
  definition: D;
}

export const schemaDigest = (schema: string): string | null =>
  schema === '' ? null : createHash('sha256').update(schema).digest('hex');

export const componentKey = (component: { kind: string; apiVersion: string }): string =>
  `${component.kind} ${component.apiVersion}`;

/** Writes definitions in batches: one statement for many rows. */
@Injectable()
export class RegistrationStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** The id of a registrant, which is created when it does not exist. */
  async findOrCreateRegistrant({ kind, hostname }: RegistrantDefinition): Promise<string> {
    const find = 'SELECT id FROM registrant WHERE kind = $1 AND hostname = $2';
    const [found] = await this.query<{ id: string }>(find, [kind, hostname]);
    if (found) return found.id;
    await this.query('INSERT INTO registrant (id, kind, hostname) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      newId(),
      kind,
      hostname,
    ]);
    const [made] = await this.query<{ id: string }>(find, [kind, hostname]);
    if (!made) throw new Error('the registrant was not stored');
    return made.id;
  }

  /** The current model of this identity; deleted ones too. */
  async findModel({ registrant, name, version }: ModelDefinition): Promise<StoredModel | undefined> {
    const [found] = await this.query<StoredModel>(
      `SELECT m.id, m.digest, m.status, m.revision, m.deleted_at AS "deletedAt" FROM model m JOIN registrant r ON r.id = m.registrant_id
       WHERE r.kind = $1 AND r.hostname = $2 AND m.name = $3 AND m.version = $4`,
      [registrant.kind, registrant.hostname, name, version],
    );
    return found;
  }

  /** The same, locked until the end of the unit of work; it is created when it does not exist, so that two registrations of it are serialized. */
  async lockOrCreateModel(model: ModelDefinition, digest: string): Promise<StoredModel & { isNew: boolean }> {
    const registrantId = await this.findOrCreateRegistrant(model.registrant);
    const made = await this.query<{ id: string }>(
      `INSERT INTO model (id, registrant_id, name, version, version_order, display_name, category, category_slug, digest, status)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING RETURNING id`,
      [
        newId(),
        registrantId,
        model.name,
        model.version,
        toVersionOrder(model.version),
        model.displayName,
        ...categoryColumns(model),
        digest,
        initialStatus(model.rest),
      ],
    );
    const [held] = await this.query<StoredModel>(
      `SELECT id, digest, status, revision, deleted_at AS "deletedAt" FROM model
       WHERE registrant_id = $1 AND name = $2 AND version = $3 FOR UPDATE`,
      [registrantId, model.name, model.version],
    );
    if (!held) throw new Error('the model was not stored');
    return { ...held, isNew: made.length > 0 };
  }

  async writeModel(id: string, model: ModelDefinition, digest: string): Promise<void> {
    await this.query(
      `UPDATE model SET display_name = $2, description = $3, category = $4, category_slug = $5, sub_category = $6,
         is_annotation = $7, metadata = $8, rest = $9, digest = $10, deleted_at = NULL, updated_at = now(), revision = revision + 1
       WHERE id = $1`,
      [
        id,
        model.displayName,
        model.description,
        ...categoryColumns(model),
        model.subCategory,
        model.metadata['isAnnotation'] === true,
        model.metadata,
        model.rest,
        digest,
      ],
    );
  }

  /** The components of a model by kind and apiVersion; deleted ones too. */
  async findComponents(modelId: string): Promise<Map<string, StoredDefinition>> {
    const rows = await this.query<StoredDefinition & { kind: string; apiVersion: string }>(
      `SELECT id, kind, api_version AS "apiVersion", digest, deleted_at AS "deletedAt" FROM component WHERE model_id = $1`,
      [modelId],
    );
    return new Map(rows.map((row) => [componentKey(row), row]));
  }

  /** The relationships of a model by identity; deleted ones too. */
  async findRelationships(modelId: string): Promise<Map<string, StoredDefinition>> {
    const rows = await this.query<StoredDefinition & { identity: string }>(
      `SELECT id, identity, digest, deleted_at AS "deletedAt" FROM relationship WHERE model_id = $1`,
      [modelId],
    );
    return new Map(rows.map((row) => [row.identity, row]));
  }

  /** Stores the schemas that are not stored yet. Outside any transaction: an unreferenced schema does no harm. */
  async insertSchemas(schemas: readonly string[]): Promise<void> {
    const texts = new Map(schemas.filter(Boolean).map((text) => [schemaDigest(text) ?? '', text]));
    if (texts.size === 0) return;
    await this.unit.runOutside(async () => {
      const known = await this.query<{ digest: string }>('SELECT digest FROM component_schema WHERE digest = ANY($1)', [
        [...texts.keys()],
      ]);
      for (const { digest } of known) texts.delete(digest);
      const missing = [...texts].sort(([a], [b]) => (a < b ? -1 : 1));
      for (const batch of toBatches(missing, ([, text]) => text.length))
        await this.query(
          `INSERT INTO component_schema (digest, text) SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING`,
          [batch.map(([digest]) => digest), batch.map(([, text]) => text)],
        );
    });
  }

  async writeComponents(
    modelId: string,
    listed: boolean,
    components: DefinitionToWrite<ComponentDefinition>[],
  ): Promise<void> {
    const rows = components.map(({ id, digest, definition }) => {
      const { kind, apiVersion, displayName, schema, description, format, styles, capabilities, metadata, rest } =
        definition;
      const details = JSON.stringify({ description, format, styles, capabilities, metadata, rest });
      const status = initialStatus(rest);
      const annotation = metadata['isAnnotation'] === true;
      return [id, kind, apiVersion, displayName, annotation, status, schemaDigest(schema), digest, details] as const;
    });
    for (const batch of toBatches(rows, (row) => row[8].length + 200))
      await this.query(
        `INSERT INTO component (id, kind, api_version, display_name, is_annotation, status, schema_digest, digest, details, model_id, listed)
         SELECT *, $10::uuid, $11::boolean AND status = 'enabled' FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::text[], $7::text[], $8::text[], $9::jsonb[])
           AS given (id, kind, api_version, display_name, is_annotation, status, schema_digest, digest, details)
         ON CONFLICT (model_id, kind, api_version) DO UPDATE SET
           display_name = EXCLUDED.display_name, is_annotation = EXCLUDED.is_annotation, schema_digest = EXCLUDED.schema_digest,
           digest = EXCLUDED.digest, details = EXCLUDED.details, listed = $11 AND component.status = 'enabled',
           deleted_at = NULL, updated_at = now(), revision = component.revision + 1`,
        [...toColumns(batch, 9), modelId, listed],
      );
  }

  async writeRelationships(
    modelId: string,
    listed: boolean,
    relationships: (DefinitionToWrite<RelationshipDefinition> & { identity: string })[],
  ): Promise<void> {
    const rows = relationships.map(({ id, digest, identity, definition }) => {
      const { kind, type, subType, version, selectors, metadata, rest } = definition;
      const json = [selectors, metadata, rest].map((each) => JSON.stringify(each));
      return [id, kind, type, subType, initialStatus(rest), version, ...json, identity, digest] as const;
    });
    for (const batch of toBatches(rows, (row) => String(row[6]).length + 500))
      await this.query(
        `INSERT INTO relationship (id, kind, type, sub_type, status, version, selectors, metadata, rest, identity, digest, model_id, listed)
         SELECT *, $12::uuid, $13::boolean AND status = 'enabled' FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[], $8::jsonb[], $9::jsonb[], $10::text[], $11::text[])
           AS given (id, kind, type, sub_type, status, version, selectors, metadata, rest, identity, digest)
         ON CONFLICT (model_id, identity) DO UPDATE SET
           version = EXCLUDED.version, metadata = EXCLUDED.metadata, rest = EXCLUDED.rest, digest = EXCLUDED.digest,
           listed = $13 AND relationship.status = 'enabled', deleted_at = NULL, updated_at = now(), revision = relationship.revision + 1`,
        [...toColumns(batch, 11), modelId, listed],
      );
  }

  private query<T>(sql: string, parameters: unknown[]): Promise<T[]> {
    return this.unit.manager.query<T[]>(sql, parameters);
  }
}

const categoryColumns = ({ category }: ModelDefinition): [string, string] => {
  const name = category || UNCATEGORIZED;
  return [name, toCategorySlug(name)];
};

/** The status in a definition; it applies to a new entity, and later only the status set here counts. */
const initialStatus = ({ status }: { status?: unknown }): string =>
  status === 'disabled' || status === 'ignored' ? parseStatus(status) : 'enabled';

const toColumns = (rows: (readonly unknown[])[], width: number): unknown[][] =>
  Array.from({ length: width }, (_, column) => rows.map((row) => row[column]));

function* toBatches<T>(rows: T[], sizeOf: (row: T) => number): Generator<T[]> {
  let batch: T[] = [];
  let size = 0;
  for (const row of rows) {
    batch.push(row);
    size += sizeOf(row);
    if (size < MAX_STATEMENT_CHARACTERS && batch.length < 1_000) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}
