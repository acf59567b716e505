import { ArmatureError } from '@armature/client';

/** What the program ends with. */
export const EXIT = {
  done: 0,
  failed: 1,
  changes: 2,
  waits: 3,
  refused: 4,
  rolledBack: 5,
  usage: 64,
  /** Ctrl-C, as shells say it. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the program. The remedy says what to do next. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly remedy: string,
    readonly exitCode: ExitCode = EXIT.failed,
    /** Further lines: faults with their places, and choices. */
    readonly lines: readonly string[] = [],
  ) {
    super(message);
  }
}

export class WrongUse extends Failure {
  constructor(message: string, remedy: string) {
    super(message, remedy, EXIT.usage);
  }
}

/** Refusals that are not 403: the request was understood, and something that people decide forbids it. */
const REFUSALS = new Set(['DEPENDENCY_NOT_DEPLOYED', 'POLICY_VIOLATION', 'ENVIRONMENT_FROZEN', 'QUOTA_EXCEEDED']);

const isRefusal = (status: number, code: string): boolean =>
  status === 403 || REFUSALS.has(code) || code.startsWith('STAGE_');

/** The exit code for the status and code of a problem. */
export const exitCodeOf = (status: number, code: string): ExitCode =>
  isRefusal(status, code) ? EXIT.refused : EXIT.failed;

interface Fault {
  pointer?: string;
  detail: string;
  file?: string;
  line?: number;
  column?: number;
}

/** Where a fault is and what it is, in one line. */
export function faultLine({ pointer, detail, file, line, column }: Fault): string {
  const place = [file, line, column].filter((part) => part !== undefined && part !== '').join(':');
  return [place || pointer, detail].filter(Boolean).join(': ');
}

/** Any error as one that says what to do next. */
export function toFailure(error: unknown, server: string | undefined): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof ArmatureError) return fromProblem(error, server);
  if (error instanceof Error && 'code' in error && 'path' in error) return fromFileSystem(error);
  const message = error instanceof Error ? error.message : String(error);
  return new Failure(message, 'Run it again; if it fails each time, report it with the output of "armature version".');
}

const FILE_FAULTS: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'it may not be read or written',
  EPERM: 'it may not be read or written',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is no folder',
};

function fromFileSystem(error: Error & { code?: unknown; path?: unknown }): Failure {
  const detail = FILE_FAULTS[String(error.code)] ?? error.message;
  return new Failure(`${String(error.path)}: ${detail}`, 'Check the path and its permissions.');
}

function fromProblem(error: ArmatureError, server = 'the server'): Failure {
  const { status, code, remedy, requestId } = error;
  if (code === 'UNREACHABLE')
    return new Failure(
      `${server} cannot be reached: ${reasonOf(error)}`,
      'Check the address ("armature context list", --server) and the network: HTTPS_PROXY, NO_PROXY and ARMATURE_CA_FILE are read.',
    );
  if (code === 'TIMEOUT') return new Failure(`${server} did not respond in time`, 'Try again; the server may be busy.');
  if (status === 401)
    return new Failure(
      error.message,
      'Sign in with "armature login", or set ARMATURE_TOKEN to a token that is valid on this server.',
    );
  if (isMissingRoute(error))
    return new Failure(
      `this server is older than the command line, or has no such call: ${error.message}`,
      'Compare the versions with "armature version"; "armature upgrade" fetches the command line of the server.',
    );
  const {
    errors = [],
    choices,
    ids,
    violations,
  } = (error.problem ?? {}) as {
    errors?: Fault[];
    choices?: { id: string; name: string }[];
    ids?: string[];
    violations?: { kind: string; name: string; policy: string; message: string }[];
  };
  const lines = [
    ...errors.map(faultLine).filter((line) => line !== error.message),
    ...(choices ?? []).map(({ id, name }) => `${id}  ${name}`),
    ...(ids ?? []),
    ...(violations ?? []).map(({ kind, name, policy, message }) => `${kind} ${name}: policy ${policy}: ${message}`),
  ];
  const next = REMEDIES[code] ?? remedy;
  const described = requestId && status >= 500 ? `${error.message} (request ${requestId})` : error.message;
  return new Failure(
    `${described} [${code}]`,
    next || 'Correct the call and repeat it.',
    exitCodeOf(status, code),
    lines,
  );
}

/** Where the words of the API say less than those of the command line. */
const REMEDIES: Record<string, string | undefined> = {
  APPROVAL_REQUIRED: 'Ask for approval with --request-approval.',
  NOTHING_TO_ROLL_BACK_TO: 'Deploy the version that you want with "armature deploy DESIGN -e ENV --version NUMBER".',
  FIELD_CONFLICT: 'Take the fields over with --force, or leave them out of the design.',
  NOT_OWNED: 'Take the objects over with --adopt.',
};

/** A 404 of the router, which names the list of routes, or of another program; not of a record. */
const isMissingRoute = ({ status, problem, remedy }: ArmatureError): boolean =>
  status === 404 && (!problem || Boolean(remedy?.includes('/api/docs')));

function reasonOf({ cause, message }: ArmatureError): string {
  let reason: unknown = cause;
  for (let depth = 0; reason instanceof Error && reason.cause instanceof Error && depth < 5; depth++)
    reason = reason.cause;
  if (!(reason instanceof Error)) return message;
  return 'code' in reason && typeof reason.code === 'string' ? `${reason.message || reason.code}` : reason.message;
}
