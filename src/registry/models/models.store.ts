import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { type Listing, recordOrderColumns } from '../../core/listing/listing.js';
import {
  filterByAnnotation,
  type RegistryListQuery,
  type RegistryScope,
  statusFilterOf,
} from '../entities/registry-list.query.js';
import { BY_REGISTRANT, RegistryEntityStore } from '../entities/registry-entity.store.js';
import { NAMED_CATEGORIES, toCategorySlug } from '../../formats/definitions/category.js';
import { Model } from './model.entity.js';

const BATCH_SIZE = 500;

const listing: Listing<Model> = {
  alias: 'model',
  pageSize: 25,
  order: {
    ...recordOrderColumns<Model>('model'),
    displayName: { sql: 'model.display_name', type: 'text', getValue: (model) => model.displayName },
    display_name: { sql: 'model.display_name', type: 'text', getValue: (model) => model.displayName },
    version: { sql: 'model.version_order', type: 'text', getValue: (model) => model.versionOrder },
    category: { sql: 'model.category', type: 'text', getValue: (model) => model.category },
  },
  defaultOrder: 'name asc',
  search: [`(model.name || E'\\n' || model.display_name)`],
};

/** The versions of one model of one registrant, highest first. */
export interface ModelVersions {
  versions: string[];
  duplicates: number;
}

export interface CategorySummary {
  name: string;
  slug: string;
  models_count: number;
  components_count: number;
}

/** Models, one row per version; lists show the highest enabled version of each, unless a version or a name is requested. */
@Injectable()
export class ModelsStore extends RegistryEntityStore<Model> {
  constructor(unit: UnitOfWork) {
    super(unit, Model, listing, BATCH_SIZE);
  }

  async findAll(ids: readonly string[]): Promise<Map<string, Model>> {
    const found = await this.createQueryBuilder().withDeleted().where('model.id = ANY(:ids)', { ids }).getMany();
    return new Map(found.map((each) => [each.id, each]));
  }

  /** The records of a name, highest version first; optionally in one category, or of one version or registrant. */
  findByName(
    name: string,
    narrowed: { version?: string; registrant?: string; category?: string } = {},
  ): Promise<Model[]> {
    const rows = this.createQueryBuilder().where('model.name = :name', { name });
    if (narrowed.version) rows.andWhere('model.version = :version', { version: narrowed.version });
    if (narrowed.category) rows.andWhere('model.category_slug = :slug', { slug: toCategorySlug(narrowed.category) });
    filterByRegistrant(rows, narrowed.registrant);
    return rows.orderBy('model.version_order', 'DESC').addOrderBy('model.id').getMany();
  }

  async hasCategory(category: string): Promise<boolean> {
    const slug = toCategorySlug(category);
    if (NAMED_CATEGORIES.some((name) => toCategorySlug(name) === slug)) return true;
    return this.createQueryBuilder().where('model.category_slug = :slug', { slug }).getExists();
  }

  /** The enabled versions of the models of these records; the key is `<registrant id> <name>`. */
  async findVersions(models: readonly Model[]): Promise<Map<string, ModelVersions>> {
    if (models.length === 0) return new Map();
    const rows = await this.unit.manager.query<{ key: string; versions: string[] }[]>(
      `SELECT registrant_id || ' ' || name AS key, array_agg(version ORDER BY version_order DESC) AS versions
       FROM model WHERE (registrant_id, name) IN (SELECT * FROM unnest($1::uuid[], $2::text[])) AND deleted_at IS NULL
         AND (status = 'enabled' OR id = ANY($3))
       GROUP BY registrant_id, name`,
      [models.map((m) => m.registrantId), models.map((m) => m.name), models.map((m) => m.id)],
    );
    return new Map(rows.map(({ key, versions }) => [key, { versions, duplicates: versions.length - 1 }]));
  }

  /** The categories of enabled models and those that always exist, by their slugs. */
  listCategories(): Promise<CategorySummary[]> {
    return this.unit.manager.query<CategorySummary[]>(
      `SELECT coalesce(min(category), min(named.name)) AS name, slug, count(category)::int AS models_count,
         coalesce(sum(components_count), 0)::int AS components_count
       FROM (SELECT category, category_slug AS slug, components_count FROM model WHERE deleted_at IS NULL AND status = 'enabled') AS enabled
       FULL JOIN unnest($1::text[], $2::text[]) AS named(name, slug) USING (slug)
       GROUP BY slug ORDER BY slug`,
      [NAMED_CATEGORIES, NAMED_CATEGORIES.map(toCategorySlug)],
    );
  }

  /**
   * Updates the data that a model stores about its entries, and which of its versions is the latest, in the open unit of work; its revision
   * increases, because its content has changed.
   * @returns the revision
   */
  async refreshCounts(id: string): Promise<number> {
    const { manager } = this.unit;
    const [[counted]] = await manager.query<[{ revision: number }[], number]>(
      `UPDATE model SET components_count = (SELECT count(*) FROM component WHERE model_id = model.id AND deleted_at IS NULL AND status = 'enabled'),
         relationships_count = (SELECT count(*) FROM relationship WHERE model_id = model.id AND deleted_at IS NULL AND status = 'enabled'),
         revision = revision + 1, updated_at = now()
       WHERE id = $1 RETURNING revision`,
      [id],
    );
    // Versions that are registered concurrently would not see each other.
    await manager.query(
      `SELECT pg_advisory_xact_lock(hashtextextended(registrant_id || name, 0)) FROM model WHERE id = $1`,
      [id],
    );
    await manager.query(
      `WITH family AS (
         SELECT m.id, m.latest, m.id IS NOT DISTINCT FROM (
           SELECT id FROM model n WHERE n.registrant_id = m.registrant_id AND n.name = m.name AND n.deleted_at IS NULL AND n.status = 'enabled'
           ORDER BY version_order DESC, id LIMIT 1) AS highest
         FROM model m JOIN model one ON one.id = $1 AND m.registrant_id = one.registrant_id AND m.name = one.name)
       UPDATE model SET latest = highest FROM family WHERE model.id = family.id AND family.latest <> family.highest`,
      [id],
    );
    return counted?.revision ?? 0;
  }

  protected selectMatching(query: RegistryListQuery, scope: RegistryScope): SelectQueryBuilder<Model> {
    const status = statusFilterOf(query, scope);
    const rows = this.createQueryBuilder();
    if (scope.category) rows.andWhere('model.category_slug = :slug', { slug: toCategorySlug(scope.category) });
    if (scope.model) rows.andWhere('model.name = :name', { name: scope.model });
    if (query.version) rows.andWhere('model.version = :version', { version: query.version });
    else if (!scope.model && status === 'enabled') rows.andWhere('model.latest');
    if (status) rows.andWhere('model.status = :status', { status });
    filterByAnnotation(rows, 'model', query);
    filterByRegistrant(rows, query.registrant);
    return rows;
  }
}

function filterByRegistrant(rows: SelectQueryBuilder<Model>, registrant: string | undefined): void {
  if (registrant) rows.andWhere(`model.${BY_REGISTRANT}`, { registrant: registrant.toLowerCase() });
}
