import type { Request, Response } from 'express';
import type { AuthenticatedCaller } from '../access/access.decorators.js';
import { REST_OPERATION, type RestOperationMetadata } from './openapi/rest-operation.metadata.js';

/** The properties of a request that its response needs. */
export interface AnsweredRequest extends Request, AuthenticatedCaller {
  /** The controller method that handles it. */
  handler?: object;
}

/** Sets the `Location` of a 201 response: the record below the route, or the location that the route declares. */
export function setLocation(request: AnsweredRequest, response: Response, body: unknown): void {
  if (typeof body !== 'object' || body === null || !request.handler) return;
  const operation = Reflect.getMetadata(REST_OPERATION, request.handler) as RestOperationMetadata | undefined;
  response.location(resolveLocation(request.path, operation?.location, body as Record<string, unknown>));
}

/** Resolves a location relative to the route (RFC 3986), with the fields of the response. */
function resolveLocation(route: string, declared: string | undefined, body: Record<string, unknown>): string {
  const collection = route.replace(/\/$/, '');
  const reference = declared ?? `${collection}/{id}`;
  const filled = reference.replace(/\{(\w+)\}/g, (_, name: string) => String(body[name]));
  return new URL(filled, `http://localhost${collection}`).pathname;
}
