import { Global, Module } from '@nestjs/common';
import { Access } from './access.service.js';
import { Memberships } from './memberships.js';
import { PerformedCalls } from './audited-call.js';
import { Refusals } from './refusals.js';

@Global()
@Module({
  providers: [Access, Memberships, PerformedCalls, Refusals],
  exports: [Access, Memberships, PerformedCalls, Refusals],
})
export class AuthorizationModule {}
