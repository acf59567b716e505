import { Global, Module } from '@nestjs/common';
import { Access } from './access.service.js';
import { Memberships } from './memberships.js';
import { Refusals } from './refusals.js';

@Global()
@Module({ providers: [Access, Memberships, Refusals], exports: [Access, Memberships, Refusals] })
export class AuthorizationModule {}
