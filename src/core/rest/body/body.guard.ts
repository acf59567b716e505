import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import type { Response } from 'express';
import type { Actor } from '../../access/actor.js';
import { IS_PUBLIC, hasMetadata } from '../../access/access.decorators.js';
import { currentRequest } from '../../telemetry/request-context.js';
import type { AnsweredRequest } from '../location.js';
import { ACCEPTS_FILES } from '../form-uploads.service.js';
import { IS_NO_STORE } from '../no-store.decorator.js';
import { warnOfUnknownQuery } from '../unknown-query.js';
import { IdempotencyKeysStore } from '../idempotency-keys.store.js';
import { passRepeatedDeletion } from '../idempotent-call.js';
import { RequestFields } from '../rights/request-fields.js';
import { type BodyRight, getDeclaredRights } from '../rights/rights.decorators.js';
import { BodyReader, hasBody, type RequestWithBody } from './body-reader.service.js';
import { IGNORES_BODY } from './ignores-body.decorator.js';

/**
 * The last guard of a REST request. Names unknown query parameters, and parses the body after every other guard has passed, then checks the permissions
 * that the route declares for it: before a stored response is replayed, before validation, and before files are
 * parsed.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  constructor(
    private readonly bodies: BodyReader,
    private readonly modules: ModuleRef,
    private readonly reflector: Reflector,
    private readonly keys: IdempotencyKeysStore,
  ) {}

  /** Requests with neither a body nor body permissions pass synchronously. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const request = context.switchToHttp().getRequest<RequestWithBody & AnsweredRequest>();
    warnOfUnknownQuery(context, request, context.switchToHttp().getResponse<Response>());
    const { body: rights } = getDeclaredRights(context.getHandler());
    const reads = hasBody(request) && !hasMetadata(this.reflector, IGNORES_BODY, context);
    if (!reads && (rights.length === 0 || !request.actor)) return this.pass(context, request);
    return this.readAndJudge(context, request, reads, rights);
  }

  private async readAndJudge(
    context: ExecutionContext,
    request: RequestWithBody,
    reads: boolean,
    rights: readonly BodyRight[],
  ): Promise<boolean> {
    if (reads)
      await this.bodies.readBody(request, context.switchToHttp().getResponse<Response>(), {
        isPublic: hasMetadata(this.reflector, IS_PUBLIC, context),
        takesFiles: hasMetadata(this.reflector, ACCEPTS_FILES, context),
      });
    if (request.actor && rights.length > 0) await this.authorize(request.actor, request, rights);
    return this.pass(context, request);
  }

  private async authorize(actor: Actor, request: RequestWithBody, rights: readonly BodyRight[]): Promise<void> {
    const fields = new RequestFields(request);
    for (const { operation, authorizer, isDeletion } of rights)
      try {
        await this.modules.get(authorizer, { strict: false }).authorizeIn(actor, operation, fields);
      } catch (error) {
        if (request.method !== 'DELETE' && !isDeletion) throw error;
        await passRepeatedDeletion(request, actor, this.keys, error);
      }
  }

  /** Stores what the query provides for the body, and what the response needs to know of the route. */
  private pass(context: ExecutionContext, request: RequestWithBody & AnsweredRequest): boolean {
    const call = currentRequest();
    if (call && request.method !== 'GET')
      call.organizationInQuery = new RequestFields({ query: request.query }).value('organization_id');
    request.handler = context.getHandler();
    if (hasMetadata(this.reflector, IS_NO_STORE, context))
      context.switchToHttp().getResponse<Response>().setHeader('Cache-Control', 'no-store');
    return true;
  }
}
