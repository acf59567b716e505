import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  UseInterceptors,
} from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import { type Observable, tap } from 'rxjs';
import { validate } from 'uuid';
import { AppError } from '../errors/app-error.js';
import { currentRequest, type RequestContext } from '../telemetry/request-context.js';

export const AUDITED_CALL = 'audited call';

/** A call that was carried out, and the ids of records that it names. */
export interface PerformedCall {
  request: RequestContext;
  operation: string;
  ids: string[];
}

/** Notifies listeners of the calls that are to be recorded. */
@Injectable()
export class PerformedCalls {
  private readonly listeners: ((call: PerformedCall) => void)[] = [];

  onPerformed(listener: (call: PerformedCall) => void): void {
    this.listeners.push(listener);
  }

  report(call: Omit<PerformedCall, 'request'>): void {
    const request = currentRequest();
    if (request) for (const listener of this.listeners) listener({ ...call, request });
  }
}

/** Reports each call that was carried out to the audit, also where what was called failed. Refusals are reported by the filters of errors. */
@Injectable()
export class CallRecorder implements NestInterceptor {
  constructor(private readonly calls: PerformedCalls) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { operation, ids } = describeCall(context);
    const report = (): void => this.calls.report({ operation, ids });
    return next.handle().pipe(
      tap({
        next: report,
        error: (error) => void (error instanceof AppError && error.status >= 500 ? report() : undefined),
      }),
    );
  }
}

/** Records calls of an operation in the audit that changes no record, and so would leave no entry. */
export const AuditedCall = (): MethodDecorator =>
  applyDecorators(SetMetadata(AUDITED_CALL, true), UseInterceptors(CallRecorder));

function describeCall(context: ExecutionContext): { operation: string; ids: string[] } {
  if (context.getType<string>() === 'graphql') {
    const graphql = GqlExecutionContext.create(context);
    const { fieldName } = graphql.getInfo<{ fieldName: string }>();
    return { operation: fieldName, ids: idsIn(Object.values(graphql.getArgs<Record<string, unknown>>())) };
  }
  const { params, body } = context
    .switchToHttp()
    .getRequest<{ params: Record<string, unknown>; body?: { id?: unknown } }>();
  const operation = currentRequest()?.operation ?? context.getHandler().name;
  return { operation, ids: idsIn([...Object.values(params), body?.id]) };
}

const idsIn = (values: unknown[]): string[] =>
  values
    .flatMap((value): unknown[] => (typeof value === 'object' && value !== null ? Object.values(value) : [value]))
    .filter((value): value is string => typeof value === 'string' && validate(value));
