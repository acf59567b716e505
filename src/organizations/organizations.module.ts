import { Module } from '@nestjs/common';
import { AcceptancesController } from './invitations/acceptances.controller.js';
import { AcceptancesService } from './invitations/acceptances.service.js';
import { InvitationsController } from './invitations/invitations.controller.js';
import { InvitationsService } from './invitations/invitations.service.js';
import { InvitationsStore } from './invitations/invitations.store.js';
import { MembersController } from './members/members.controller.js';
import { MembersService } from './members/members.service.js';
import { MembersStore } from './members/members.store.js';
import { OrganizationsController } from './organizations.controller.js';
import { OrganizationsService } from './organizations.service.js';
import { OrganizationsStore } from './organizations.store.js';
import { Accounts } from './users/accounts.js';
import { ProfilesController } from './users/profiles.controller.js';
import { ProfilesResolver } from './users/profiles.resolver.js';
import { ProfilesService } from './users/profiles.service.js';
import { UsersStore } from './users/users.store.js';

@Module({
  controllers: [
    OrganizationsController,
    MembersController,
    InvitationsController,
    AcceptancesController,
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
    Accounts,
    ProfilesService,
    ProfilesResolver,
    UsersStore,
  ],
  exports: [OrganizationsService, OrganizationsStore, MembersStore, UsersStore, Accounts, AcceptancesService],
})
export class OrganizationsModule {}
