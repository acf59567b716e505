import type { Request, Response } from 'express';
import type { AuthenticatedCaller } from '../access/access.decorators.js';
import { REST_OPERATION, type RestOperationMetadata } from './openapi/rest-operation.metadata.js';

/** What a request keeps for its answer. */
export interface AnsweredRequest extends Request, AuthenticatedCaller {
  /** The method of a controller that serves it. */
  handler?: object;
}

/** Gives an answer 201 its `Location`: the record below the route, or where the route declares it. */
export function setLocation(request: AnsweredRequest, response: Response, body: unknown): void {
  if (typeof body !== 'object' || body === null || !request.handler) return;
  const operation = Reflect.getMetadata(REST_OPERATION, request.handler) as RestOperationMetadata | undefined;
  response.location(resolveLocation(request.path, operation?.location, body as Record<string, unknown>));
}

/** A reference relative to the route, as RFC 3986 resolves it, with the fields of the answer filled in. */
function resolveLocation(route: string, declared: string | undefined, body: Record<string, unknown>): string {
  const collection = route.replace(/\/$/, '');
  const reference = declared ?? `${collection}/{id}`;
  const filled = reference.replace(/\{(\w+)\}/g, (_, name: string) => String(body[name]));
  return new URL(filled, `http://localhost${collection}`).pathname;
}
