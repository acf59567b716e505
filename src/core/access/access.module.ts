import { Global, Module } from '@nestjs/common';
import { Access } from './access.service.js';

@Global()
@Module({ providers: [Access], exports: [Access] })
export class AccessModule {}
