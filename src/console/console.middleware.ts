import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { Env } from '../core/config/env.js';
import { BundledPage } from '../core/rest/bundled-page.js';
import { varyBy } from '../core/responses/vary.js';

/** The folder of its files, which is none of its addresses. */
const FILES = '/console/';
/** Paths of programs, in which an unknown one has no page. */
const OF_PROGRAMS = /^\/(api|docs|download|healthz|metrics|\.well-known)(\/|$)/;

/** Nothing runs or is shown but the files of this server, and pictures that a script has loaded. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Serves the console, a page that calls the published API as every other client does. */
@Injectable()
export class ConsoleMiddleware {
  private readonly page = new BundledPage('console', undefined, POLICY);

  /** The host of the OpenID Connect issuer at which people sign in; empty without one. */
  private readonly issuer: string;

  constructor(private readonly env: Env) {
    this.issuer = env.OIDC_CLIENT_ID && env.OIDC_ISSUER ? new URL(env.OIDC_ISSUER).host : '';
  }

  /**
   * Before anything is counted or authenticated: opening the page asks for a dozen files.
   * @param others the paths of other routes
   */
  serve(others: readonly string[]): RequestHandler {
    return (request: Request, response: Response, next: NextFunction): void => {
      const { method, path } = request;
      if (!this.env.CONSOLE || (method !== 'GET' && method !== 'HEAD')) return next();
      if (OF_PROGRAMS.test(path) || (path !== '/' && others.includes(path))) return next();
      if (path.startsWith(FILES)) return this.page.sendFile(path.slice(FILES.length), response);
      varyBy(response, 'Accept');
      if (path !== '/' && request.accepts(['json', 'html']) !== 'html') return next();
      const values = { base: `${rootOf(path)}${FILES.slice(1)}`, issuer: this.issuer };
      this.page.send(request, response, values).catch(next);
    };
  }
}

/** The relative URL of the first path: the page works below any path prefix of a proxy. */
const rootOf = (path: string): string => '../'.repeat(path.split('/').length - 2) || './';
