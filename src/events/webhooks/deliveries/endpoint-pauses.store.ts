import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { Webhook } from '../endpoints/webhook.entity.js';

/** SQL of the time until which nothing is sent to a `webhook`; null when it has no pause. */
export const PAUSED_UNTIL_SQL = '(SELECT pause.until FROM webhook_pause pause WHERE pause.webhook_id = webhook.id)';

/**
 * Pauses of endpoints: one that fails is tried less and less often, whatever happens in the meantime, and one that asks for less is
 * left alone. By the clock of the database. As the system.
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

  /** It works again, or a user wants something sent now. */
  async end(webhookId: string): Promise<void> {
    await this.unit.runAsSystem('the pause of a webhook', () =>
      this.unit.manager.query('DELETE FROM webhook_pause WHERE webhook_id = $1', [webhookId]),
    );
  }
}
