import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { IS_PUBLIC, hasMetadata } from '../../access/access.decorators.js';
import { currentRequest } from '../../telemetry/request-context.js';
import { ACCEPTS_FILES } from '../form-uploads.service.js';
import { RequestFields } from '../rights/request-fields.js';
import { BodyReader } from './body-reader.service.js';
import { IGNORES_BODY } from './ignores-body.decorator.js';

/** Reads the body of a REST call, once every guard has let the caller pass, and keeps what the query says in its place. */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  constructor(
    private readonly bodies: BodyReader,
    private readonly reflector: Reflector,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    if (context.getType() !== 'http' || hasMetadata(this.reflector, IGNORES_BODY, context)) return next.handle();
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const taken = {
      isPublic: hasMetadata(this.reflector, IS_PUBLIC, context),
      takesFiles: hasMetadata(this.reflector, ACCEPTS_FILES, context),
    };
    await this.bodies.readBody(request, http.getResponse<Response>(), taken);
    const call = currentRequest();
    if (call) call.organizationInQuery = new RequestFields({ query: request.query }).value('organization_id');
    return next.handle();
  }
}
