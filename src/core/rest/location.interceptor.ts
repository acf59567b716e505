import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { type Observable, tap } from 'rxjs';
import { REST_OPERATION, type RestOperationMetadata } from './openapi/rest-operation.decorator.js';

type Created = Record<string, unknown>;

/** Gives every answer 201 its `Location`: the record below the route, or where the route declares it. */
@Injectable()
export class LocationInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const operation = this.reflector.get<RestOperationMetadata | undefined>(REST_OPERATION, context.getHandler());
    return next.handle().pipe(
      tap((body: Created | undefined) => {
        if (response.statusCode !== 201 || body === undefined) return;
        response.location(resolveLocation(request.path, operation?.location, body));
      }),
    );
  }
}

/** A reference relative to the route, as RFC 3986 resolves it, with the fields of the answer filled in. */
function resolveLocation(route: string, declared: string | undefined, body: Created): string {
  const collection = route.replace(/\/$/, '');
  const reference = declared ?? `${collection}/{id}`;
  const filled = reference.replace(/\{(\w+)\}/g, (_, name: string) => String(body[name]));
  return new URL(filled, `http://localhost${collection}`).pathname;
}
