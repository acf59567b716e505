import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { GraphQLResolveInfo } from 'graphql';
import { type AuthenticatedCaller, IS_PUBLIC, hasMetadata } from '../core/access/access.decorators.js';
import { IS_REGISTRY_READ } from '../core/access/registry-read.decorator.js';
import { IS_SAME_ORIGIN } from '../core/access/same-origin.decorator.js';
import { Env } from '../core/config/env.js';
import { Unauthenticated } from '../core/errors/app-error.js';
import { REST_OPERATION, type RestOperationMetadata } from '../core/rest/openapi/rest-operation.metadata.js';
import { currentRequest } from '../core/telemetry/request-context.js';
import { assertSameOrigin } from '../core/rest/same-origin.js';

/**
 * Refuses unauthenticated callers on every route and GraphQL field that is not marked public, and other sites on the routes of the
 * console's cookie.
 */
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
    const current = currentRequest();
    if (current) current.operation = this.findOperation(context);
    if (hasMetadata(this.reflector, IS_SAME_ORIGIN, context)) assertSameOrigin(request as Request, this.env);
    if (request.actor || this.isPublic(context, request)) return true;
    throw request.authenticationError ?? new Unauthenticated('a bearer token is required');
  }

  /** The name in the API: the operation id of a route, or the GraphQL field. */
  private findOperation(context: ExecutionContext): string | undefined {
    if (context.getType<string>() === 'graphql')
      return context.getArgByIndex<GraphQLResolveInfo | undefined>(3)?.fieldName;
    return this.reflector.get<RestOperationMetadata | undefined>(REST_OPERATION, context.getHandler())?.id;
  }

  private isPublic(context: ExecutionContext, request: AuthenticatedCaller): boolean {
    if (context.getType<string>() === 'graphql') return false;
    if (hasMetadata(this.reflector, IS_PUBLIC, context)) return true;
    const anonymous = this.env.REGISTRY_ANONYMOUS_READ && request.authenticationError === undefined;
    return anonymous && hasMetadata(this.reflector, IS_REGISTRY_READ, context);
  }
}
