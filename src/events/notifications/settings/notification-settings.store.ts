import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { toJsonb } from '../../../core/json/jsonb.js';
import { PUBLISH_CHANGE_SQL } from '../notification-topic.js';
import { NotificationSettings } from './notification-settings.entity.js';

/** What users chose; those who chose nothing have no row. */
@Injectable()
export class NotificationSettingsStore {
  constructor(private readonly unit: UnitOfWork) {}

  async find(userId: string): Promise<NotificationSettings> {
    const kept = await this.unit.manager.getRepository(NotificationSettings).findOneBy({ userId });
    return kept ?? Object.assign(new NotificationSettings(), { userId });
  }

  /** Writes all of it and counts up the revision; who changes settings holds the lock of the user. */
  async save(settings: NotificationSettings): Promise<void> {
    const [row] = await this.unit.manager.query<[{ revision: number }]>(
      `INSERT INTO notification_settings AS kept (user_id, categories, timezone, digest_at, muted_workspaces, revision)
       VALUES ($1, $2, $3, $4, $5, 1)
       ON CONFLICT (user_id) DO UPDATE SET categories = excluded.categories, timezone = excluded.timezone,
         digest_at = excluded.digest_at, muted_workspaces = excluded.muted_workspaces,
         revision = kept.revision + 1, updated_at = now()
       RETURNING revision`,
      [settings.userId, toJsonb(settings.categories), settings.timezone, settings.digestAt, settings.mutedWorkspaces],
    );
    settings.revision = row.revision;
    await this.unit.manager.query(PUBLISH_CHANGE_SQL, [settings.userId]);
  }
}
