import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { Webhook } from '../endpoints/webhook.entity.js';

/** SQL of the time until which nothing is sent to a `webhook`; null when it has no pause. */
export const PAUSED_UNTIL_SQL = '(SELECT pause.until FROM webhook_pause pause WHERE pause.webhook_id = webhook.id)';

/**
 * Pauses of endpoints: the back-off of failing endpoints, and `Retry-After`. Times are those of the database. Queries run as the system.
 */
@Injectable()
export class EndpointPausesStore {
  constructor(private readonly unit: UnitOfWork) {}

  async begin({ id, organizationId }: Pick<Webhook, 'id' | 'organizationId'>, milliseconds: number): Promise<void> {
    await this.unit.manager.query(
      `INSERT INTO webhook_pause (webhook_id, organization_id, until) VALUES ($1, $2, now() + $3 * interval '1 millisecond')
       ON CONFLICT (webhook_id) DO UPDATE SET until = excluded.until`,
      [id, organizationId, milliseconds],
    );
  }

  /** Ends the pause, after a success or on a user's request. */
  async end(webhookId: string): Promise<void> {
    await this.unit.runAsSystem('the pause of a webhook', () =>
      this.unit.manager.query('DELETE FROM webhook_pause WHERE webhook_id = $1', [webhookId]),
    );
  }
}
