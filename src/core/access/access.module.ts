import { Global, Module } from '@nestjs/common';
import { Access } from './access.js';

@Global()
@Module({ providers: [Access], exports: [Access] })
export class AccessModule {}
