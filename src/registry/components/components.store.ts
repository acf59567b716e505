import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { type Listing, recordOrderColumns } from '../../core/listing/listing.js';
import { filterByAnnotation, type RegistryListQuery, type RegistryScope } from '../entities/registry-list.query.js';
import { ModelEntryStore } from '../entities/registry-entity.store.js';
import { Component } from './component.entity.js';
import { ComponentSchema } from './component-schema.entity.js';

/** This many schemas are one or two megabytes. */
const BATCH_SIZE = 200;

const { created_at, updated_at } = recordOrderColumns<Component & { name: string }>('component');

const listing: Listing<Component> = {
  alias: 'component',
  pageSize: 25,
  order: {
    name: { sql: 'component.kind', type: 'text', getValue: (component) => component.kind },
    kind: { sql: 'component.kind', type: 'text', getValue: (component) => component.kind },
    displayName: { sql: 'component.display_name', type: 'text', getValue: (component) => component.displayName },
    display_name: { sql: 'component.display_name', type: 'text', getValue: (component) => component.displayName },
    ...({ created_at, updated_at } as Listing<Component>['order']),
  },
  defaultOrder: 'name asc',
  search: [`(component.kind || E'\\n' || component.display_name)`],
};

/** The component that applies to a resource, with its schema. */
export interface EffectiveComponent {
  id: string;
  kind: string;
  apiVersion: string;
  modelName: string;
  modelVersion: string;
  schema: string | null;
  schemaDigest: string | null;
}

@Injectable()
export class ComponentsStore extends ModelEntryStore<Component> {
  constructor(unit: UnitOfWork) {
    super(unit, Component, listing, BATCH_SIZE);
  }

  /** Total bytes of the schemas with these hashes. */
  async sumSchemaBytes(digests: readonly string[]): Promise<number> {
    const [row] = await this.unit.manager.query<{ bytes: string | null }[]>(
      'SELECT sum(octet_length(text)) AS bytes FROM component_schema WHERE digest = ANY($1)',
      [digests],
    );
    return Number(row?.bytes ?? 0);
  }

  /** The schemas with these hashes. */
  async findSchemas(digests: readonly string[]): Promise<Map<string, string>> {
    if (digests.length === 0) return new Map();
    const found = await this.unit.manager
      .getRepository(ComponentSchema)
      .createQueryBuilder('kept')
      .where('kept.digest = ANY(:digests)', { digests })
      .getMany();
    return new Map(found.map(({ digest, text }) => [digest, text]));
  }

  /**
   * The enabled component of a kind that applies: of the given apiVersion, model and version, and of the
   * remaining ones that of the highest model version.
   */
  async findEffective(
    kind: string,
    narrowed: { apiVersion?: string; model?: string; version?: string } = {},
  ): Promise<EffectiveComponent | null> {
    const [found] = await this.unit.manager.query<EffectiveComponent[]>(
      `SELECT c.id, c.kind, c.api_version AS "apiVersion", m.name AS "modelName", m.version AS "modelVersion",
         s.text AS schema, c.schema_digest AS "schemaDigest"
       FROM component c JOIN model m ON m.id = c.model_id LEFT JOIN component_schema s ON s.digest = c.schema_digest
       WHERE c.kind = $1 AND c.listed AND ($2::text IS NULL OR c.api_version = $2) AND ($3::text IS NULL OR m.name = $3)
         AND ($4::text IS NULL OR m.version = $4)
       ORDER BY c.schema_digest IS NULL, m.version_order DESC, c.id LIMIT 1`,
      [kind, narrowed.apiVersion || null, narrowed.model || null, narrowed.version || null],
    );
    return found ?? null;
  }

  /** The enabled components of pairs of kind and apiVersion, without their schemas: the highest model version of each. */
  async findAllEffective(
    pairs: readonly { kind: string; apiVersion: string }[],
  ): Promise<Omit<EffectiveComponent, 'schema'>[]> {
    return this.unit.manager.query<Omit<EffectiveComponent, 'schema'>[]>(
      `SELECT DISTINCT ON (c.kind, c.api_version) c.id, c.kind, c.api_version AS "apiVersion", m.name AS "modelName",
         m.version AS "modelVersion", c.schema_digest AS "schemaDigest"
       FROM component c JOIN model m ON m.id = c.model_id
       WHERE c.listed AND (c.kind, c.api_version) IN (SELECT * FROM unnest($1::text[], $2::text[]))
       ORDER BY c.kind, c.api_version, c.schema_digest IS NULL, m.version_order DESC, c.id`,
      [pairs.map((pair) => pair.kind), pairs.map((pair) => pair.apiVersion)],
    );
  }

  /** The apiVersions in which enabled components have each of these kinds. */
  async findVersions(kinds: readonly string[]): Promise<Map<string, string[]>> {
    const found = await this.unit.manager.query<{ kind: string; versions: string[] }[]>(
      `SELECT c.kind, array_agg(DISTINCT c.api_version) AS versions FROM component c
        WHERE c.listed AND c.kind = ANY ($1) GROUP BY c.kind`,
      [kinds],
    );
    return new Map(found.map(({ kind, versions }) => [kind, versions]));
  }

  /** The kinds of Kubernetes itself in its highest version, which is that of the model. */
  async findKubernetesKinds(): Promise<{ version: string; kind: string; apiVersion: string }[]> {
    return this.unit.manager.query(
      `SELECT m.version, c.kind, c.api_version AS "apiVersion" FROM component c JOIN model m ON m.id = c.model_id
        WHERE c.listed AND m.id = (SELECT id FROM model WHERE name = 'kubernetes' AND deleted_at IS NULL
                                    ORDER BY version_order DESC, id LIMIT 1)
        ORDER BY c.api_version, c.kind`,
    );
  }

  findByModel(modelId: string): Promise<Component[]> {
    return this.findByModelInOrder(modelId, 'kind', 'api_version');
  }

  /** Applies a change of a model: its entries are listed while it is, and deleted with it. */
  async applyModelState(modelId: string, model: { listed: boolean; deletedAt: Date | null }): Promise<void> {
    for (const table of ['component', 'relationship'])
      await this.unit.manager.query(
        `UPDATE ${table} SET listed = $2 AND status = 'enabled', deleted_at = coalesce(deleted_at, $3) WHERE model_id = $1`,
        [modelId, model.listed, model.deletedAt],
      );
  }

  protected override selectMatching(query: RegistryListQuery, scope: RegistryScope): SelectQueryBuilder<Component> {
    const rows = super.selectMatching(query, scope);
    filterByAnnotation(rows, 'component', query);
    return rows;
  }
}
