import { Module } from '@nestjs/common';
import { MembersStore } from './members/members.store.js';
import { OrganizationsController } from './organizations.controller.js';
import { OrganizationsService } from './organizations.service.js';
import { OrganizationsStore } from './organizations.store.js';
import { UsersStore } from './users/users.store.js';

@Module({
  controllers: [OrganizationsController],
  providers: [OrganizationsService, OrganizationsStore, MembersStore, UsersStore],
  exports: [OrganizationsService, OrganizationsStore, MembersStore, UsersStore],
})
export class OrganizationsModule {}
