import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { type Authenticated, IS_PUBLIC, isMarked } from '../core/access/public.js';
import { IS_REGISTRY_READ } from '../core/access/registry-read.js';
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
        ? context.getArgByIndex<Authenticated>(2)
        : context.switchToHttp().getRequest<Request & Authenticated>();
    if (request.actor || this.isOpen(context, request)) return true;
    throw request.refused ?? new Unauthenticated('a bearer token is required');
  }

  private isOpen(context: ExecutionContext, request: Authenticated): boolean {
    if (context.getType<string>() === 'graphql') return false;
    if (isMarked(this.reflector, IS_PUBLIC, context)) return true;
    const anonymous = this.env.REGISTRY_ANONYMOUS_READ && request.refused === undefined;
    return anonymous && isMarked(this.reflector, IS_REGISTRY_READ, context);
  }
}
