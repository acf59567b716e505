import { Module } from '@nestjs/common';
import { AcceptancesController } from './invitations/acceptances.controller.js';
import { AcceptancesService } from './invitations/acceptances.service.js';
import { InvitationMailsService } from './invitations/invitation-mails.service.js';
import { InvitationsController } from './invitations/invitations.controller.js';
import { InvitationsListeners } from './invitations/invitations.listeners.js';
import { InvitationsService } from './invitations/invitations.service.js';
import { InvitationsStore } from './invitations/invitations.store.js';
import { MembersController } from './members/members.controller.js';
import { MembersResolver } from './members/members.resolver.js';
import { MembersService } from './members/members.service.js';
import { MembersStore } from './memberships/members.store.js';
import { OrganizationsController } from './organizations.controller.js';
import { OrganizationsResolver } from './organizations.resolver.js';
import { OrganizationsService } from './organizations.service.js';
import { OrganizationsStore } from './organizations.store.js';
import { ServiceAccountsController } from './service-accounts/service-accounts.controller.js';
import { ServiceAccountsListeners } from './service-accounts/service-accounts.listeners.js';
import { ServiceAccountsService } from './service-accounts/service-accounts.service.js';
import { GroupTeamsService } from './teams/group-teams.service.js';
import { TeamsController } from './teams/teams.controller.js';
import { TeamsListeners } from './teams/teams.listeners.js';
import { TeamsResolver } from './teams/teams.resolver.js';
import { TeamsService } from './teams/teams.service.js';
import { TeamsStore } from './teams/teams.store.js';
import { AccountsService } from './users/accounts.service.js';
import { ProfilesController } from './profiles/profiles.controller.js';
import { ProfilesResolver } from './profiles/profiles.resolver.js';
import { ProfilesService } from './profiles/profiles.service.js';
import { JobActorsService } from './users/job-actors.service.js';
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
    InvitationMailsService,
    InvitationsListeners,
    AcceptancesService,
    TeamsService,
    TeamsStore,
    GroupTeamsService,
    ServiceAccountsService,
    AccountsService,
    ProfilesService,
    ProfilesResolver,
    OrganizationsResolver,
    TeamsResolver,
    MembersResolver,
    UsersStore,
    JobActorsService,
    TeamsListeners,
    ServiceAccountsListeners,
  ],
  exports: [
    ProfilesService,
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
export class OrganizationsModule {}
