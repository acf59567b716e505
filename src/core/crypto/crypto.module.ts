import { Global, Module } from '@nestjs/common';
import { Env } from '../config/env.js';
import { EnvKeyService, KeyService } from './key-service.js';
import { Vault } from './vault.service.js';

@Global()
@Module({
  providers: [{ provide: KeyService, inject: [Env], useFactory: (env: Env) => new EnvKeyService(env) }, Vault],
  exports: [Vault, KeyService],
})
export class CryptoModule {}
