import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Public } from '../../access/access.decorators.js';
import { AppError, NotFound } from '../../errors/app-error.js';

/** Injection token of PlaygroundOptions. */
export const PLAYGROUND_OPTIONS = Symbol('graphql playground options');

export interface PlaygroundOptions {
  enabled: boolean;
  /** Where `npm run build` put the bundle, when not at its usual place. */
  folder?: string;
}

/** The editor writes its styles into the page; all else comes from files of this server. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "object-src 'none'",
].join('; ');

const ASSET_NAME = /^[\w-][\w.-]*\.(js|css|ttf|woff2?|txt)$/;

/** GraphiQL, bundled with the server, so that it works where the internet does not reach. */
@Public()
@Controller('api/system/graphql/playground')
export class PlaygroundController {
  constructor(@Inject(PLAYGROUND_OPTIONS) private readonly options: PlaygroundOptions) {}

  /** The page; its addresses are relative, so that it works below any path that a proxy puts before it. */
  @Get()
  async page(@Req() request: Request, @Res() response: Response): Promise<void> {
    const html = await readFile(join(this.folder(), 'index.html'), 'utf8').catch((cause: unknown) => {
      throw notBuiltError(cause);
    });
    const base = request.path.endsWith('/') ? './' : 'playground/';
    response.set({ 'Content-Security-Policy': CONTENT_SECURITY_POLICY, 'Cache-Control': 'no-cache' });
    response.type('html').send(html.replaceAll('{{base}}', base));
  }

  /** A file of the bundle; its name has the hash of its content, so that it never changes. */
  @Get(':file')
  asset(@Param('file') file: string, @Res() response: Response): void {
    const root = this.folder();
    if (!ASSET_NAME.test(file) || !existsSync(join(root, file))) throw new NotFound('Playground file', file);
    response.sendFile(file, { root, maxAge: '1y', immutable: true });
  }

  private folder(): string {
    if (this.options.enabled) return this.options.folder ?? FOLDER;
    throw new AppError(404, 'NOT_FOUND', 'Not found', 'The playground is off.', {
      remedy: 'Start the server with GRAPHQL_PLAYGROUND=on.',
    });
  }
}

/** From the compiled file the bundle is four folders up; from the source, in the `dist` that stands there. */
const FOLDER = ['../../../../playground', '../../../../dist/playground']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .reduce((compiled, source) => (existsSync(compiled) ? compiled : source));

function notBuiltError(cause: unknown): AppError {
  return new AppError(503, 'PLAYGROUND_NOT_BUILT', 'Not built', 'The playground has not been built.', {
    remedy: 'Run "npm run build".',
    cause,
  });
}
