import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations.module.js';
import { UsersController } from './users.controller.js';
import { UsersService } from './users.service.js';

/** The accounts of the installation. Its route `users/:id` must be registered after all others below `users`, so this module is the last. */
@Module({ imports: [OrganizationsModule], controllers: [UsersController], providers: [UsersService] })
export class UsersModule {}
