import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { Env } from '../../core/config/env.js';
import { readCookies } from '../../core/rest/read-cookies.js';
import { consolePath, isSecure } from './console-path.js';

const NAME = 'armature_session';

/** The cookie that keeps the refresh token of the console. Browsers send it to the session route alone, and show it to no script. */
@Injectable()
export class ConsoleCookie {
  constructor(private readonly env: Env) {}

  read(request: Request): string | undefined {
    return readCookies(request.headers, NAME)[0];
  }

  set(request: Request, response: Response, refreshToken: string): void {
    response.cookie(NAME, refreshToken, { ...this.options(request), maxAge: this.env.REFRESH_TOKEN_TTL * 1000 });
  }

  clear(request: Request, response: Response): void {
    response.clearCookie(NAME, this.options(request));
  }

  private options(request: Request): CookieOptions {
    return {
      httpOnly: true,
      sameSite: 'strict',
      secure: isSecure(this.env, request),
      path: consolePath(this.env, '/api/auth/console/session'),
    };
  }
}
