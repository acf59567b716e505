import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { redactedPath } from '../telemetry/access-log.js';
import { currentRequest, generateRequestId } from '../telemetry/request-context.js';
import { DatabaseUnavailable } from '../database/database-outage.js';
import { toAppError, toProblem } from './problem.js';
import { RouteTable } from '../rest/route-table.js';
import { AppError } from './app-error.js';

/** The one filter: every failed REST call answers a problem document; GraphQL formats its own from the same errors. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');

  constructor(private readonly routes: RouteTable) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    if (host.getType<string>() === 'graphql') throw thrown;
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const error = this.methodNotAllowed(request, thrown) ?? toAppError(thrown);
    // An outage is logged once, not for each call that it fails.
    if (error.status >= 500 && !(error instanceof DatabaseUnavailable))
      this.logger.error(error.cause ?? error, `${request.method} ${redactedPath(request)} failed`);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const problem = toProblem(error, currentRequest()?.requestId ?? generateRequestId());
    response.status(error.status).set(error.headers).type('application/problem+json').send(JSON.stringify(problem));
  }

  /** A path that exists, asked with a method that it does not have, is 405 and names the methods it has. */
  private methodNotAllowed(request: Request, thrown: unknown): AppError | null {
    if ((thrown as { status?: number } | null)?.status !== 404 || thrown instanceof AppError) return null;
    const methods = this.routes.findMethods(request.path);
    if (methods.length === 0 || methods.includes(request.method)) return null;
    const allow = methods.join(', ');
    return new AppError(405, 'METHOD_NOT_ALLOWED', 'Method not allowed', `${request.method} is not allowed here`, {
      headers: { Allow: allow },
      remedy: `Use ${allow}.`,
    });
  }
}
