import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { GraphQLError } from 'graphql';
import type { Authenticated } from '../access/public.js';
import { Unauthenticated } from '../errors/app-error.js';
import { asAppError } from '../errors/problem.js';
import { BodyReader } from '../rest/body/body-reader.js';
import { formatError } from './format-error.js';

/**
 * What stands before Apollo, which is a middleware and so passes neither guards nor interceptors: a call without a sound
 * token ends here with 200, `data: null` and UNAUTHENTICATED, introspection included; of others the body is read.
 */
@Injectable()
export class GraphqlEntry {
  constructor(private readonly bodies: BodyReader) {}

  readonly use = (request: Request & Authenticated, response: Response, next: NextFunction): void => {
    this.enter(request, response).then(() => next(), next);
  };

  /** Answers what failed before Apollo was reached in the shape that clients of GraphQL read. */
  readonly refuse = (thrown: unknown, _request: Request, response: Response, next: NextFunction): void => {
    if (response.headersSent) return next(thrown);
    const original = asAppError(thrown);
    const error = new GraphQLError(original.message, { originalError: original });
    const body = { data: null, errors: [formatError(error.toJSON(), error)] };
    response
      .status(original.status === 401 ? 200 : original.status)
      .set(original.headers)
      .json(body);
  };

  private async enter(request: Request & Authenticated, response: Response): Promise<void> {
    if (!request.actor) throw request.refused ?? new Unauthenticated('a bearer token is required');
    await this.bodies.read(request, response, { isPublic: false, takesFiles: false });
  }
}
