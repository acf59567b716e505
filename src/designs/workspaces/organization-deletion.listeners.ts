import { Injectable, type OnModuleInit } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import { OrganizationDeleted } from '../../organizations/organization.events.js';

/** An organization is deleted after its workspaces; personal ones without a design are deleted with it. */
@Injectable()
export class OrganizationDeletionListeners implements OnModuleInit {
  constructor(
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  onModuleInit(): void {
    this.events.within(OrganizationDeleted, ({ organization }) => this.assertEmpty(organization.id));
  }

  /** @throws Conflict IN_USE naming the remaining workspaces */
  private async assertEmpty(organizationId: string): Promise<void> {
    const workspaces = await this.unit.manager.query<{ id: string; name: string }[]>(
      `SELECT w.id, w.name FROM workspace w
        WHERE w.organization_id = $1 AND w.deleted_at IS NULL
          AND (w.personal_of IS NULL OR EXISTS (SELECT FROM design d WHERE d.workspace_id = w.id AND d.deleted_at IS NULL))
        ORDER BY w.name, w.id`,
      [organizationId],
    );
    if (workspaces.length === 0) return;
    const names = workspaces.map(({ name }) => name).join(', ');
    throw new Conflict('IN_USE', `the organization has workspaces: ${names}`, {
      remedy: 'Delete its workspaces first.',
      extensions: { workspaces },
    });
  }
}
