import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { setPathPrefix } from './app.setup.js';
import { Env } from './core/config/env.js';

const SETTINGS = { NODE_ENV: 'test', JWT_SECRET: 'x'.repeat(32), ENCRYPTION_KEY: '00'.repeat(32) };

/** The URL of the server in documents that are generated without a running server. */
export const PREVIEW_URL = Env.parse(SETTINGS).baseUrl;

/** The application in preview mode, without provider instances or a database: documents are generated from decorators only. */
export async function createPreviewApp(): Promise<INestApplication> {
  const app = await NestFactory.create(AppModule.forRoot(Env.parse(SETTINGS), 'postgres://localhost/unused'), {
    preview: true,
    abortOnError: false,
    logger: ['error'],
  });
  setPathPrefix(app);
  return app;
}
