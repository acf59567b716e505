import { Module } from '@nestjs/common';
import { ConsoleMiddleware } from './console.middleware.js';

@Module({ providers: [ConsoleMiddleware], exports: [ConsoleMiddleware] })
export class ConsoleModule {}
