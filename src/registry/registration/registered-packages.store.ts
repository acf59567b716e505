import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { RegisteredEntities } from './registration-result.js';

/** Remembers packages by their bytes, so that one which comes again is known before it is unpacked. */
@Injectable()
export class RegisteredPackagesStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** What registering it again answers, or null when it is not known or a model of it has changed since. */
  async find(digest: string): Promise<RegisteredEntities | null> {
    const [known] = await this.unit.manager.query<{ result: RegisteredEntities }[]>(
      `SELECT result FROM registered_package p WHERE digest = $1 AND NOT EXISTS (
         SELECT FROM jsonb_each(p.models) kept LEFT JOIN model m ON m.id = kept.key::uuid
         WHERE m.revision IS DISTINCT FROM (kept.value)::int OR m.deleted_at IS NOT NULL)`,
      [digest],
    );
    return known?.result ?? null;
  }

  /** @param revisions of its models by id, as they were when the registry was seen to have all of it */
  async save(digest: string, revisions: Record<string, number>, registered: RegisteredEntities): Promise<void> {
    const unchanged = <T extends { outcome: string }>(entities: T[]) =>
      entities.map((entity) => ({ ...entity, outcome: 'unchanged' }));
    const { models, components, relationships } = registered;
    const result = {
      models: unchanged(models),
      components: unchanged(components),
      relationships: unchanged(relationships),
    };
    await this.unit.manager.query(
      `INSERT INTO registered_package (digest, models, result) VALUES ($1, $2, $3)
       ON CONFLICT (digest) DO UPDATE SET models = EXCLUDED.models, result = EXCLUDED.result`,
      [digest, JSON.stringify(revisions), JSON.stringify(result)],
    );
  }
}
