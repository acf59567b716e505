import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { User } from '../users/user.entity.js';
import { TeamMemberAdded, TeamMemberRemoved } from './team.events.js';
import { TeamsStore } from './teams.store.js';

/**
 * Synchronizes teams with the groups claim of an issuer. A group maps to every team of the same name, ignoring case, in the
 * organizations of the user. Users that an admin added to a team remain in it.
 */
@Injectable()
export class GroupTeamsService {
  constructor(
    private readonly teams: TeamsStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async sync(user: User, groups: string[]): Promise<void> {
    const moves = await this.teams.findGroupChanges(user.id, groups);
    if (moves.length === 0) return;
    const actor = Actor.system('groups of the issuer');
    await this.unit.run(async () => {
      for (const { id, organization_id: organizationId, joins } of moves) {
        const team = await this.teams.find(organizationId, id);
        const moved = joins ? this.teams.addMemberByGroup(id, user.id) : this.teams.removeMemberByGroup(id, user.id);
        if (!(await moved) || !team) continue;
        await this.events.publish(new (joins ? TeamMemberAdded : TeamMemberRemoved)(actor, team, user));
      }
    });
  }
}
