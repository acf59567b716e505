import { ConsoleLogger, type LoggerService } from '@nestjs/common';
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import type { Env } from '../config/env.js';
import { currentRequest } from './request-context.js';

/** Injection token of the logger. */
export const LOGGER = Symbol('logger');

/** Fields with these names are logged as `[redacted]`, up to a depth of three. */
const REDACTED_FIELDS = [
  'authorization',
  'cookie',
  'password',
  'current_password',
  'token',
  'access_token',
  'refresh_token',
  'secret',
  'credential_secret',
  'kubeconfig',
  'parameters',
];

/**
 * The maximum number of unwritten bytes; later lines are dropped, so that a blocked reader of standard output does
 * not exhaust the memory.
 */
const MAX_UNWRITTEN_BYTES = 16 * 1024 * 1024;
/** Lines are written in batches of this size or after this time, and at the end of the process. */
const BATCH = { minLength: 15 * 1024, periodicFlush: 100 };

/** One stream per process, because each has a timer that is never stopped; tests start several servers per process. */
let standardOutput: DestinationStream | undefined;

/** The logger of each application, which logs from before its providers exist. */
const loggers = new WeakMap<Env, Logger>();

/** Returns the logger of an application: JSON lines on standard output, each with the id of its request. */
export function getLogger(env: Env): Logger {
  const known = loggers.get(env) ?? createLogger(env);
  loggers.set(env, known);
  return known;
}

function createLogger(env: Env): Logger {
  const options: LoggerOptions = {
    level: env.LOG_LEVEL,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: serializeError },
    redact: {
      paths: REDACTED_FIELDS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `*.*.*.${name}`]),
      censor: '[redacted]',
    },
    mixin: () => {
      const request = currentRequest();
      return request ? { request_id: request.requestId, user_id: request.actor?.userId ?? undefined } : {};
    },
  };
  if (isPretty(env))
    return pino({
      ...options,
      transport: { target: 'pino-pretty', options: { ignore: 'hostname,pid', singleLine: true } },
    });
  standardOutput ??= pino.destination({ sync: false, maxLength: MAX_UNWRITTEN_BYTES, ...BATCH });
  return pino(options, standardOutput);
}

/** Serializes an error without the input that a parser rejected, which may contain a credential that this server sent. */
function serializeError(error: Error): object {
  const { data: _, ...logged } = pino.stdSerializers.err(error) as pino.SerializedError & { data?: unknown };
  return logged;
}

/** A logger without redaction, for lines with fixed fields and no secrets: redaction takes most of the time of a short line. */
export const withoutRedaction = (logger: Logger): Logger => logger.child({}, { redact: [] });

const isPretty = (env: Env): boolean => (env.LOG_FORMAT ?? (env.isProduction ? 'json' : 'pretty')) === 'pretty';

/** Log contexts of NestJS that list every module and route at start. */
const FRAMEWORK_CONTEXTS = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
  'GraphQLModule',
]);

/** The log context of errors that end a start, which NestJS throws again; who started the application logs them. */
const RETHROWN_CONTEXT = 'ExceptionHandler';

/** Makes NestJS log through the same logger. */
export class NestLogger extends ConsoleLogger implements LoggerService {
  constructor(private readonly logger: Logger) {
    super();
  }

  override log(message: unknown, ...rest: unknown[]): void {
    this.write(FRAMEWORK_CONTEXTS.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  }
  override warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  override error(message: unknown, ...rest: unknown[]): void {
    this.write(rest.at(-1) === RETHROWN_CONTEXT ? 'debug' : 'error', message, rest);
  }
  override debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }
  override verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }
  override fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  private write(
    level: 'info' | 'warn' | 'error' | 'debug' | 'trace' | 'fatal',
    message: unknown,
    rest: unknown[],
  ): void {
    const context = typeof rest.at(-1) === 'string' ? (rest.at(-1) as string) : undefined;
    const text = rest.length > 1 && typeof rest[0] === 'string' ? rest[0] : undefined;
    if (message instanceof Error) this.logger[level]({ err: message, context }, text ?? message.message);
    else if (typeof message === 'object') this.logger[level]({ context, ...message }, text);
    else this.logger[level]({ context }, typeof message === 'string' ? message : JSON.stringify(message));
  }
}
