import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Env } from './env.js';

/** Gives every module the settings this process was started with. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(env: Env): DynamicModule {
    return { module: ConfigModule, providers: [{ provide: Env, useValue: env }], exports: [Env] };
  }
}
