import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { type AuthenticatedCaller, IS_PUBLIC, hasMetadata } from '../core/access/access.decorators.js';
import { IS_REGISTRY_READ } from '../core/access/registry-read.decorator.js';
import { Env } from '../core/config/env.js';
import { Unauthenticated } from '../core/errors/app-error.js';

/** Closes every route and GraphQL field to callers whom Admission did not find, but for what is marked public. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly env: Env,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request =
      context.getType<string>() === 'graphql'
        ? context.getArgByIndex<AuthenticatedCaller>(2)
        : context.switchToHttp().getRequest<Request & AuthenticatedCaller>();
    if (request.actor || this.isPublic(context, request)) return true;
    throw request.authenticationError ?? new Unauthenticated('a bearer token is required');
  }

  private isPublic(context: ExecutionContext, request: AuthenticatedCaller): boolean {
    if (context.getType<string>() === 'graphql') return false;
    if (hasMetadata(this.reflector, IS_PUBLIC, context)) return true;
    const anonymous = this.env.REGISTRY_ANONYMOUS_READ && request.authenticationError === undefined;
    return anonymous && hasMetadata(this.reflector, IS_REGISTRY_READ, context);
  }
}
