import type { Request, Response } from 'express';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, NotFound } from '../errors/app-error.js';

/** Editors write their styles into the page; all else comes from files of this server. */
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

/** A page that `npm run build` bundles with all its files, so that it works where the internet does not reach. */
export class BundledPage {
  /**
   * @param name the last segment of its path, and its folder in `dist`
   * @param folder where the bundle is, when not at its usual place
   */
  constructor(
    private readonly name: string,
    private readonly folder = findFolder(name),
  ) {}

  /** Answers the page; its addresses are relative, so that it works below any path that a proxy puts before it. */
  async send({ path }: Request, response: Response): Promise<void> {
    const html = await readFile(join(this.folder, 'index.html'), 'utf8').catch((cause: unknown) => {
      throw this.notBuiltError(cause);
    });
    const base = path.endsWith('/') ? './' : `${path.slice(path.lastIndexOf('/') + 1)}/`;
    response.set({ 'Content-Security-Policy': CONTENT_SECURITY_POLICY, 'Cache-Control': 'no-cache' });
    response.type('html').send(html.replaceAll('{{base}}', base));
  }

  /** Answers a file of the bundle; its name has the hash of its content, so that it never changes. */
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

/** From the compiled file the bundles are three folders up; from the source, in the `dist` that stands there. */
const findFolder = (name: string): string =>
  [`../../../${name}`, `../../../dist/${name}`]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .reduce((compiled, source) => (existsSync(compiled) ? compiled : source));
