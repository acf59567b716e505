import type { Request, Response } from 'express';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, NotFound } from '../errors/app-error.js';

/** Editors insert inline styles; everything else comes from files of this server. */
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

/** A page that `npm run build` bundles with all its files, so that it works without internet access. */
export class BundledPage {
  /**
   * @param name the last segment of its path, and its folder in `dist`
   * @param folder the folder of the bundle, unless it is the default
   */
  constructor(
    private readonly name: string,
    private readonly folder = findFolder(name),
  ) {}

  /** Sends the page. Its URLs are relative, so that it works below any path prefix of a proxy. */
  async send({ path }: Request, response: Response): Promise<void> {
    const html = await readFile(join(this.folder, 'index.html'), 'utf8').catch((cause: unknown) => {
      throw this.notBuiltError(cause);
    });
    const base = path.endsWith('/') ? './' : `${path.slice(path.lastIndexOf('/') + 1)}/`;
    response.set({ 'Content-Security-Policy': CONTENT_SECURITY_POLICY, 'Cache-Control': 'no-cache' });
    response.type('html').send(html.replaceAll('{{base}}', base));
  }

  /** Sends a file of the bundle. Its name contains a hash of its content, so it is cached indefinitely. */
  sendFile(file: string, response: Response): void {
    if (!ASSET_NAME.test(file) || !existsSync(join(this.folder, file))) throw new NotFound('File', file);
    response.sendFile(file, { root: this.folder, maxAge: '1y', immutable: true });
  }

  private notBuiltError(cause: unknown): AppError {
    const code = `${this.name.toUpperCase()}_NOT_BUILT`;
    return new AppError(503, code, 'Not built', `The ${this.name} has not been built.`, {
      remedy: 'Run "npm run build".',
      cause,
    });
  }
}

/** The folder `dist`: three levels above the compiled file, or beside the sources. */
const findFolder = (name: string): string =>
  [`../../../${name}`, `../../../dist/${name}`]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .reduce((compiled, source) => (existsSync(compiled) ? compiled : source));
