import type { Request, Response } from 'express';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, NotFound } from '../errors/app-error.js';

/** Editors insert inline styles; everything else comes from files of this server. */
const POLICY_OF_EDITORS = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "object-src 'none'",
].join('; ');

const ASSET_NAME = /^[\w-][\w.-]*\.(js|css|svg|ttf|woff2?|txt)$/;

/** A page that `npm run build` bundles with all its files, so that it works without internet access. */
export class BundledPage {
  /**
   * @param name the last segment of its path, and its folder in `dist`
   * @param folder the folder of the bundle, unless it is the default
   * @param policy its Content-Security-Policy
   */
  constructor(
    private readonly name: string,
    private readonly folder = findFolder(name),
    private readonly policy = POLICY_OF_EDITORS,
  ) {}

  /**
   * Sends the page. Its URLs are relative, so that it works below any path prefix of a proxy.
   * @param values what stands in the HTML at `{{name}}`
   */
  async send({ path }: Request, response: Response, values: Record<string, string> = {}): Promise<void> {
    const html = await readFile(join(this.folder, 'index.html'), 'utf8').catch((cause: unknown) => {
      throw this.notBuiltError(cause);
    });
    const base = path.endsWith('/') ? './' : `${path.slice(path.lastIndexOf('/') + 1)}/`;
    response.set({ 'Content-Security-Policy': this.policy, 'Cache-Control': 'no-cache' });
    const given: Record<string, string | undefined> = { base, ...values };
    response.type('html').send(html.replace(/{{(\w+)}}/g, (all, name: string) => given[name] ?? all));
  }

  /**
   * Sends a file of the bundle. Its name contains a hash of its content, so it is cached indefinitely.
   * @throws NotFound for a file that the bundle does not have
   */
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

/** In the folder `dist`: beside the sources, or three levels above the compiled file. */
const findFolder = (name: string): string =>
  [`../../../dist/${name}`, `../../../${name}`]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .reduce((source, compiled) => (existsSync(source) ? source : compiled));
