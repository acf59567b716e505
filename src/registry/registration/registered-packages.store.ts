import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { RegisteredEntities } from './registration-result.js';

/** Remembers packages by the hash of their bytes, so that a repeated one is recognized before it is unpacked. */
@Injectable()
export class RegisteredPackagesStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** The answer to registering it again, or null when it is unknown or one of its models has changed since. */
  async find(digest: string): Promise<RegisteredEntities | null> {
    const [known] = await this.unit.manager.query<{ result: RegisteredEntities }[]>(
      `SELECT result FROM registered_package p WHERE digest = $1 AND NOT EXISTS (
         SELECT FROM jsonb_each(p.models) kept LEFT JOIN model m ON m.id = kept.key::uuid
         WHERE m.revision IS DISTINCT FROM (kept.value)::int OR m.deleted_at IS NOT NULL)`,
      [digest],
    );
    return known?.result ?? null;
  }

  /** @param revisions of its models by id, at the time when the registry contained all of it */
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
