import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Request } from 'express';
import { validate } from 'uuid';
import { assertInstallationAdmin, assertScope } from '../../authorization/permission-errors.js';
import type { Actor } from '../../access/actor.js';
import type { AuthenticatedCaller } from '../../access/access.decorators.js';
import { IdPipe } from '../id.pipe.js';
import { IdempotencyKeysStore } from '../idempotency-keys.store.js';
import { passRepeatedDeletion, type RepeatedDeletion } from '../idempotent-call.js';
import { type PathRight, getDeclaredRights } from './rights.decorators.js';

type AuthorizedRequest = Request & AuthenticatedCaller & RepeatedDeletion;

/**
 * Checks the declared permission of a route before the body is parsed: the token, the visibility of the record in
 * the path, then the role. Services check again in their transaction, because the record may change concurrently.
 */
@Injectable()
export class RightsGuard implements CanActivate {
  constructor(
    private readonly modules: ModuleRef,
    private readonly keys: IdempotencyKeysStore,
  ) {}

  /** Passes synchronously where only the token is checked. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<AuthorizedRequest>();
    const { actor } = request;
    if (!actor) return true;
    const { path, body } = getDeclaredRights(context.getHandler());
    for (const { operation } of [...path, ...body]) {
      assertScope(actor, operation);
      assertInstallationAdmin(actor, operation);
    }
    return path.length === 0 || this.authorizeAll(actor, path, request);
  }

  private async authorizeAll(actor: Actor, rights: readonly PathRight[], request: AuthorizedRequest): Promise<boolean> {
    try {
      for (const right of rights) await this.authorize(actor, right, request);
    } catch (error) {
      if (request.method !== 'DELETE') throw error;
      await passRepeatedDeletion(request, actor, this.keys, error);
    }
    return true;
  }

  private async authorize(
    actor: Actor,
    { operation, authorizer, parameters, isOptional }: PathRight,
    { params }: Request,
  ): Promise<void> {
    if (!authorizer) return;
    if (isOptional && !parameters.every((name) => validate(params[name]))) return;
    const ids = parameters.map((name) => new IdPipe(name).transform(String(params[name])));
    await this.modules.get(authorizer, { strict: false }).authorize(actor, operation, ...ids);
  }
}
