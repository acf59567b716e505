import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { GraphQLError } from 'graphql';
import { Refusals } from '../authorization/refusals.js';
import type { AuthenticatedCaller } from '../access/access.decorators.js';
import { Unauthenticated } from '../errors/app-error.js';
import { toAppError, payloadTooLarge } from '../errors/problem.js';
import { BodyReader } from '../rest/body/body-reader.service.js';
import { PackedJson, TOO_MUCH_DATA_DETAIL, JsonUnpacker } from '../json/packed-json.js';
import { currentRequest } from '../telemetry/request-context.js';
import { Metrics } from '../telemetry/metrics.service.js';
import { countingFormatError } from './format-error.js';

/**
 * Authenticates requests and parses their bodies before Apollo, which is a middleware and bypasses guards and
 * interceptors. Requests without a valid token, including introspection, get 200 with `data: null` and
 * UNAUTHENTICATED.
 */
@Injectable()
export class GraphqlMiddleware {
  constructor(
    private readonly bodies: BodyReader,
    private readonly refusals: Refusals,
    private readonly metrics: Metrics,
  ) {}

  readonly use = (request: Request & AuthenticatedCaller, response: Response, next: NextFunction): void => {
    response.setHeader('Cache-Control', 'no-store');
    this.prepareRequest(request, response).then(() => next(), next);
  };

  /** Formats errors before Apollo as GraphQL errors. */
  readonly handleError = (thrown: unknown, _request: Request, response: Response, next: NextFunction): void => {
    if (response.headersSent) return next(thrown);
    const original = toAppError(thrown);
    this.refusals.report(original, { operation: 'graphql' });
    const error = new GraphQLError(original.message, { originalError: original });
    const body = { data: null, errors: [countingFormatError(this.metrics)(error.toJSON(), error)] };
    response
      .status(original.status === 401 ? 200 : original.status)
      .set(original.headers)
      .json(body);
  };

  private async prepareRequest(request: Request & AuthenticatedCaller, response: Response): Promise<void> {
    const origin = currentRequest()?.origin;
    if (origin) origin.via = 'graphql';
    if (!request.actor) throw request.authenticationError ?? new Unauthenticated('a bearer token is required');
    await this.bodies.readBody(request, response, { isPublic: false, takesFiles: false });
    request.body = unpackBody(request.body);
  }
}

/** The members of a GraphQL request over HTTP. */
class GraphqlRequest {
  query?: string;
  operationName?: string;
  variables?: object;
  extensions?: object;
}

/** Unpacks the variables of the body for Apollo. @throws AppError 413 when they are too large */
function unpackBody(body: unknown): unknown {
  if (body instanceof PackedJson) throw payloadTooLarge(`the body ${TOO_MUCH_DATA_DETAIL}`);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const unpacking = new JsonUnpacker(GraphqlRequest);
  const members = Object.entries(body).map(([name, value]): [string, unknown] => {
    const field = unpacking.unpackField(name, value);
    if (!field) throw payloadTooLarge(`${name} ${TOO_MUCH_DATA_DETAIL}`);
    return [name, field.value];
  });
  return Object.fromEntries(members);
}
