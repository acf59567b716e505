import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { validate } from 'uuid';
import { Refusals } from '../authorization/refusals.js';
import { FaultLog } from '../telemetry/fault-log.js';
import { redactedPath } from '../telemetry/access-log.js';
import { currentRequest, generateRequestId, getRequestPath, noteFailure } from '../telemetry/request-context.js';
import { DatabaseUnavailable } from '../errors/database-outage.js';
import { toAppError, toProblem } from '../errors/problem.js';
import { renderErrorPage } from './pages/page.js';
import { methodNotAllowed, RouteTable } from './route-table.js';
import { AppError, InvalidRequest } from '../errors/app-error.js';

const SIGN_IN_ROUTES: readonly unknown[] = ['/api/auth/login', '/api/auth/console/login'];

/** Converts every error of REST to a problem document; GraphQL formats its own from the same errors. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');
  private readonly faults = new FaultLog(this.logger);

  constructor(
    private readonly routes: RouteTable,
    private readonly refusals: Refusals,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    if (host.getType<string>() === 'graphql') throw thrown;
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const error = this.findPathError(request, thrown) ?? toAppError(thrown);
    noteFailure(error);
    this.reportRefusal(request, error);
    // A database outage is logged once, not for each failed request.
    const what = `${request.method} ${redactedPath(request)}`;
    if (response.destroyed || request.socket.destroyed)
      return this.logger.debug(`${what} was aborted by its caller: ${error.message}`);
    if (error.status >= 500 && !(error instanceof DatabaseUnavailable)) this.faults.log(error, `${what} failed`);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.status(error.status).set(error.headers);
    const page = renderErrorPage(request, response, error);
    if (page) return void response.send(page);
    const problem = toProblem(error, currentRequest()?.requestId ?? generateRequestId());
    response.type('application/problem+json').send(JSON.stringify(problem));
  }

  private reportRefusal(request: Request, error: AppError): void {
    const { route, params, body } = request as { route?: { path?: string }; params: object; body?: unknown };
    // A failed sign-in is reported with the attempted account; other bodies are not reported.
    const { email } = (typeof body === 'object' && body !== null ? body : {}) as { email?: unknown };
    const isSignIn = request.method === 'POST' && SIGN_IN_ROUTES.includes(route?.path);
    this.refusals.report(error, {
      operation: currentRequest()?.operation ?? `${request.method} ${route?.path ?? 'unknown'}`,
      ids: Object.values(params ?? {}).filter((value) => typeof value === 'string' && validate(value)) as string[],
      ...(isSignIn && typeof email === 'string' ? { account: email } : {}),
    });
  }

  /** For an unknown path: a 400 that names the parameter that is empty, or a 405 when the path exists for other methods. */
  private findPathError(request: Request, thrown: unknown): AppError | null {
    if ((thrown as { status?: number } | null)?.status !== 404 || thrown instanceof AppError) return null;
    const path = getRequestPath(request);
    const empty = this.routes.findEmptyParameter(request.method, path);
    if (empty !== undefined)
      return InvalidRequest.forField(empty, 'is empty', 'Send the id of a record in the path, as the list shows it.');
    const methods = this.routes.findMethods(path);
    if (methods.length === 0 || methods.includes(request.method)) return null;
    return methodNotAllowed(request.method, methods);
  }
}
