import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { toJsonb } from '../../../core/json/jsonb.js';
import { listBroadcast } from '../notification-preferences.js';
import { PUBLISH_CHANGE_SQL } from '../notification-topic.js';
import { NotificationSettings } from './notification-settings.entity.js';

/** Stores notification settings; users without changes have no row. */
@Injectable()
export class NotificationSettingsStore {
  constructor(private readonly unit: UnitOfWork) {}

  async find(userId: string): Promise<NotificationSettings> {
    const kept = await this.unit.manager.getRepository(NotificationSettings).findOneBy({ userId });
    return kept ?? Object.assign(new NotificationSettings(), { userId });
  }

  /** The time of the database, which events have. */
  async readTime(): Promise<Date> {
    const [row] = await this.unit.manager.query<[{ now: Date }]>('SELECT clock_timestamp() AS now');
    return row.now;
  }

  /** Stores all settings and increments the revision. The caller must hold the lock of the user. */
  async save(settings: NotificationSettings): Promise<void> {
    const [row] = await this.unit.manager.query<[{ revision: number }]>(
      `INSERT INTO notification_settings AS kept (user_id, categories, timezone, digest_at, muted_workspaces, realtime, silences, revision)
       VALUES ($1, $2, $3, $4, $5, $6, $7, 1)
       ON CONFLICT (user_id) DO UPDATE SET categories = excluded.categories, timezone = excluded.timezone,
         digest_at = excluded.digest_at, muted_workspaces = excluded.muted_workspaces,
         realtime = excluded.realtime, silences = excluded.silences, revision = kept.revision + 1, updated_at = now()
       RETURNING revision`,
      [
        settings.userId,
        toJsonb(settings.categories),
        settings.timezone,
        settings.digestAt,
        settings.mutedWorkspaces,
        listBroadcast(settings.categories),
        toJsonb(settings.silences),
      ],
    );
    settings.revision = row.revision;
    await this.unit.manager.query(PUBLISH_CHANGE_SQL, [settings.userId]);
  }

  /** Returns the signing key of a user's unsubscribe links, and creates it on first use. */
  async getOrCreateUnsubscribeKey(userId: string): Promise<Buffer> {
    const [row] = await this.unit.manager.query<[{ key: Buffer }]>(
      `INSERT INTO notification_settings AS kept (user_id, unsubscribe_key) VALUES ($1, $2)
       ON CONFLICT (user_id) DO UPDATE SET unsubscribe_key = coalesce(kept.unsubscribe_key, excluded.unsubscribe_key)
       RETURNING unsubscribe_key AS key`,
      [userId, randomBytes(32)],
    );
    return row.key;
  }

  async findUnsubscribeKey(userId: string): Promise<Buffer | null> {
    const [row] = await this.unit.manager.query<{ key: Buffer | null }[]>(
      'SELECT unsubscribe_key AS key FROM notification_settings WHERE user_id = $1',
      [userId],
    );
    return row?.key ?? null;
  }
}
