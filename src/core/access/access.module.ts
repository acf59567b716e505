import { Global, Module } from '@nestjs/common';
import { Access } from './access.service.js';
import { Memberships } from './memberships.js';

@Global()
@Module({ providers: [Access, Memberships], exports: [Access, Memberships] })
export class AccessModule {}
