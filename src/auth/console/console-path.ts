import type { Request } from 'express';
import type { Env } from '../../core/config/env.js';

/** A path of this server as browsers see it: below that of BASE_URL. */
export const consolePath = ({ baseUrl }: Env, path: string): string =>
  new URL(baseUrl).pathname.replace(/\/$/, '') + path;

/** Whether browsers reach this server by https. */
export const isSecure = ({ baseUrl }: Env, request: Request): boolean => baseUrl.startsWith('https:') || request.secure;
