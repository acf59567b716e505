import { Module } from '@nestjs/common';
import { EventBus } from '../core/events/event-bus.js';
import { AcceptancesController } from './invitations/acceptances.controller.js';
import { AcceptancesService } from './invitations/acceptances.service.js';
import { InvitationsController } from './invitations/invitations.controller.js';
import { InvitationsService } from './invitations/invitations.service.js';
import { InvitationsStore } from './invitations/invitations.store.js';
import { OrganizationMemberRemoved, OrganizationMemberRoleChanged } from './members/member.events.js';
import { MembersController } from './members/members.controller.js';
import { MembersService } from './members/members.service.js';
import { MembersStore } from './members/members.store.js';
import { OrganizationDeleted } from './organization.events.js';
import { OrganizationsController } from './organizations.controller.js';
import { OrganizationsService } from './organizations.service.js';
import { OrganizationsStore } from './organizations.store.js';
import { ServiceAccountsController } from './service-accounts/service-accounts.controller.js';
import { ServiceAccountsService } from './service-accounts/service-accounts.service.js';
import { GroupTeamsService } from './teams/group-teams.service.js';
import { TeamsController } from './teams/teams.controller.js';
import { TeamsService } from './teams/teams.service.js';
import { TeamsStore } from './teams/teams.store.js';
import { AccountsService } from './users/accounts.service.js';
import { ProfilesController } from './users/profiles.controller.js';
import { ProfilesResolver } from './users/profiles.resolver.js';
import { ProfilesService } from './users/profiles.service.js';
import { JobActorsService } from './users/job-actors.service.js';
import { UserDeactivated } from './users/user.events.js';
import { UsersStore } from './users/users.store.js';

@Module({
  controllers: [
    OrganizationsController,
    MembersController,
    InvitationsController,
    AcceptancesController,
    TeamsController,
    ServiceAccountsController,
    ProfilesController,
  ],
  providers: [
    OrganizationsService,
    OrganizationsStore,
    MembersService,
    MembersStore,
    InvitationsService,
    InvitationsStore,
    AcceptancesService,
    TeamsService,
    TeamsStore,
    GroupTeamsService,
    ServiceAccountsService,
    AccountsService,
    ProfilesService,
    ProfilesResolver,
    UsersStore,
    JobActorsService,
  ],
  exports: [
    OrganizationsService,
    OrganizationsStore,
    MembersStore,
    ServiceAccountsService,
    GroupTeamsService,
    TeamsStore,
    UsersStore,
    JobActorsService,
    AccountsService,
    AcceptancesService,
  ],
})
export class OrganizationsModule {
  constructor(teams: TeamsStore, services: ServiceAccountsService, invitations: InvitationsService, events: EventBus) {
    events.within(OrganizationMemberRemoved, async ({ organizationId, member }) => {
      await teams.removeMemberFromOrganization(organizationId, member.id);
      await invitations.withdrawByInviter(member.id, organizationId);
    });
    events.within(OrganizationMemberRoleChanged, ({ organizationId, member }) =>
      invitations.withdrawByInviter(member.id, organizationId),
    );
    events.within(UserDeactivated, ({ user }) => invitations.withdrawByInviter(user.id));
    events.within(OrganizationDeleted, ({ actor, organization }) => services.deactivateAll(actor, organization.id));
  }
}
