import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import type { AuthenticatedCaller } from '../../access/access.decorators.js';
import { RequestFields } from './request-fields.js';
import { getDeclaredRights } from './rights.decorators.js';

/**
 * Judges the rights that a route declares by its body, as soon as that is parsed: before a kept answer is replayed, before
 * validation, and before files are interpreted.
 */
@Injectable()
export class RightsInterceptor implements NestInterceptor {
  constructor(private readonly modules: ModuleRef) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    if (context.getType() === 'http') await this.authorize(context);
    return next.handle();
  }

  private async authorize(context: ExecutionContext): Promise<void> {
    const request = context.switchToHttp().getRequest<Request & AuthenticatedCaller>();
    const { body } = getDeclaredRights(context.getHandler());
    if (!request.actor || body.length === 0) return;
    const fields = new RequestFields(request);
    for (const { operation, authorizer: judge } of body)
      await this.modules.get(judge, { strict: false }).authorizeIn(request.actor, operation, fields);
  }
}
