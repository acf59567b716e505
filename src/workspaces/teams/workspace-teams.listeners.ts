import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventBus } from '../../core/events/event-bus.js';
import { TeamDeleted, TeamMemberAdded } from '../../organizations/teams/team.events.js';
import { WorkspaceQuotasService } from '../quotas/workspace-quotas.service.js';
import { WorkspacesStore } from '../workspaces.store.js';
import { WorkspaceTeamsStore } from '../grants/workspace-teams.store.js';

/** Updates the roles of teams when teams change. */
@Injectable()
export class WorkspaceTeamsListeners implements OnModuleInit {
  constructor(
    private readonly teams: WorkspaceTeamsStore,
    private readonly workspaces: WorkspacesStore,
    private readonly quotas: WorkspaceQuotasService,
    private readonly events: EventBus,
  ) {}

  onModuleInit(): void {
    this.events.within(TeamDeleted, ({ team }) => this.teams.removeAll(team.id));
    this.events.within(TeamMemberAdded, (event) => this.assertWithinQuotas(event));
  }

  /** Groups of an issuer add users to teams at sign-in regardless of quotas; the next grant counts them. */
  private async assertWithinQuotas({ actor, team }: TeamMemberAdded): Promise<void> {
    if (actor.isSystem) return;
    await this.quotas.assertAllWithinLimit(await this.workspaces.lockLimitedByTeam(team.id), 'max_members');
  }
}
