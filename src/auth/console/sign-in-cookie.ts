import { Injectable } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { z } from 'zod';
import { Env } from '../../core/config/env.js';
import { readCookies } from '../../core/rest/read-cookies.js';
import { consolePath, isSecure } from './console-path.js';

const NAME = 'armature_sign_in';
/** Where the issuer sends the browser back to. */
export const CALLBACK_PATH = '/api/auth/console/oidc/callback';
const MAX_AGE_MS = 600_000;

const attemptSchema = z.object({
  state: z.string().min(1),
  nonce: z.string().min(1),
  verifier: z.string().min(1),
  /** The path of the console that is opened afterwards. */
  destination: z.string(),
});
export type StartedSignIn = z.infer<typeof attemptSchema>;

/** The cookie that binds a sign-in at the issuer to the browser that started it. `Lax`, because the issuer sends the browser back. */
@Injectable()
export class SignInCookie {
  constructor(private readonly env: Env) {}

  read(request: Request): StartedSignIn | undefined {
    const [value] = readCookies(request.headers, NAME);
    if (value === undefined) return undefined;
    try {
      return attemptSchema.parse(JSON.parse(Buffer.from(value, 'base64url').toString()));
    } catch {
      return undefined;
    }
  }

  set(request: Request, response: Response, started: StartedSignIn): void {
    const value = Buffer.from(JSON.stringify(started)).toString('base64url');
    response.cookie(NAME, value, { ...this.options(request), maxAge: MAX_AGE_MS });
  }

  clear(request: Request, response: Response): void {
    response.clearCookie(NAME, this.options(request));
  }

  private options(request: Request): CookieOptions {
    const path = consolePath(this.env, CALLBACK_PATH);
    return { httpOnly: true, sameSite: 'lax', secure: isSecure(this.env, request), path };
  }
}
