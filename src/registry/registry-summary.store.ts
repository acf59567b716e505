import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { type CategorySummary, ModelsStore } from './models/models.store.js';

export interface NamedCount {
  name: string;
  count: number;
}

/** The numbers of enabled entities. */
export interface RegistrySummary {
  models: number;
  components: number;
  relationships: number;
  registrants: number;
  categories: CategorySummary[];
}

/** Counts over the whole registry. */
@Injectable()
export class RegistrySummaryStore {
  constructor(
    private readonly models: ModelsStore,
    private readonly unit: UnitOfWork,
  ) {}

  listCategories(): Promise<CategorySummary[]> {
    return this.models.listCategories();
  }

  async getSummary(): Promise<RegistrySummary> {
    const [counts] = await this.unit.manager.query<Omit<RegistrySummary, 'categories'>[]>(
      `SELECT count(*)::int AS models, coalesce(sum(components_count), 0)::int AS components,
         coalesce(sum(relationships_count), 0)::int AS relationships, count(DISTINCT registrant_id)::int AS registrants
       FROM model WHERE deleted_at IS NULL AND status = 'enabled'`,
    );
    return {
      ...(counts ?? { models: 0, components: 0, relationships: 0, registrants: 0 }),
      categories: await this.models.listCategories(),
    };
  }

  /** Components by the name of their model, largest number first. */
  countComponents(): Promise<NamedCount[]> {
    return this.unit.manager.query<NamedCount[]>(
      `SELECT name, sum(components_count)::int AS count FROM model
       WHERE deleted_at IS NULL AND status = 'enabled' AND components_count > 0 GROUP BY name ORDER BY count DESC, name`,
    );
  }

  /** Relationships by kind, largest number first. */
  countRelationships(): Promise<NamedCount[]> {
    return this.unit.manager.query<NamedCount[]>(
      `SELECT kind AS name, count(*)::int AS count FROM relationship WHERE listed GROUP BY kind ORDER BY count DESC, kind`,
    );
  }
}
