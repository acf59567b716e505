import { Module } from '@nestjs/common';
import { MembersController } from './members/members.controller.js';
import { MembersService } from './members/members.service.js';
import { MembersStore } from './members/members.store.js';
import { OrganizationsController } from './organizations.controller.js';
import { OrganizationsService } from './organizations.service.js';
import { OrganizationsStore } from './organizations.store.js';
import { ProfilesController } from './users/profiles.controller.js';
import { ProfilesService } from './users/profiles.service.js';
import { UsersStore } from './users/users.store.js';

@Module({
  controllers: [OrganizationsController, MembersController, ProfilesController],
  providers: [OrganizationsService, OrganizationsStore, MembersService, MembersStore, ProfilesService, UsersStore],
  exports: [OrganizationsService, OrganizationsStore, MembersStore, UsersStore],
})
export class OrganizationsModule {}
