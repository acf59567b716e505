import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { Authenticator } from '../core/access/authenticator.js';
import { type Authenticated, IS_PUBLIC } from '../core/access/public.js';
import { IS_REGISTRY_READ } from '../core/access/registry-read.js';
import { Env } from '../core/config/env.js';
import { Unauthenticated } from '../core/errors/app-error.js';
import { CallLimit } from '../core/rest/call-limit.js';
import { currentRequest } from '../core/telemetry/request-context.js';

/** Closes every route and GraphQL field to callers without a token, but for what is marked public. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly limit: CallLimit,
    private readonly reflector: Reflector,
    private readonly env: Env,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType<string>() === 'graphql') {
      if (context.getArgByIndex<Authenticated>(2).actor) return true;
      throw new Unauthenticated('a bearer token is required');
    }
    const request = context.switchToHttp().getRequest<Request & Authenticated>();
    try {
      if (!this.isOpen(context, request)) await this.identify(request);
    } finally {
      // Callers who are refused count by their address: guessing tokens is calling, too.
      await this.limit.count(request, context.switchToHttp().getResponse());
    }
    return true;
  }

  private async identify(request: Request & Authenticated): Promise<void> {
    request.actor = await this.authenticator.authenticate(request.headers.authorization);
    const current = currentRequest();
    if (current) current.actor = request.actor;
  }

  private isOpen(context: ExecutionContext, request: Request): boolean {
    if (this.isMarked(IS_PUBLIC, context)) return true;
    const anonymous = this.env.REGISTRY_ANONYMOUS_READ && request.headers.authorization === undefined;
    return anonymous && this.isMarked(IS_REGISTRY_READ, context);
  }

  private isMarked(mark: string, context: ExecutionContext): boolean {
    return this.reflector.getAllAndOverride<boolean>(mark, [context.getHandler(), context.getClass()]) ?? false;
  }
}
