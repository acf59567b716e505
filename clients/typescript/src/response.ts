import { ArmatureError } from './armature-error.js';
import type { Problem } from './generated/types.gen.js';

/** A response of the API, with its body as the media type says. */
export interface ApiResponse<Data = unknown> {
  status: number;
  headers: Headers;
  data: Data;
}

interface Request {
  method: string;
  url: URL;
  /** The token that was sent: it is in no error. */
  secret: string | undefined;
  isGraphql?: boolean;
}

/** Reads a response of the API, or the error that it is. */
export async function readResponse(
  response: Response,
  { method, url, secret, isGraphql }: Request,
): Promise<ApiResponse | ArmatureError> {
  const { status } = response;
  if (isRedirect(response)) {
    await response.body?.cancel();
    const headers = withoutSecret(response.headers, secret);
    const target = headers.get('location') ?? 'which the browser does not tell';
    return new ArmatureError(`${url.origin} redirects to another address (${target}), which is not followed.`, {
      status,
      code: 'UNREACHABLE',
      headers,
    });
  }
  // 304 is a success of a call that asked for it.
  if (status < 400 && !isForeign(response.headers)) {
    const data = await readData(response);
    const problem = isGraphql ? findGraphqlProblem(data, status) : undefined;
    if (!problem) return { status, headers: response.headers, data };
    return fromProblem(JSON.parse(hide(JSON.stringify(problem), secret)) as Problem, response, secret);
  }
  const problem = parseProblem(hide(await response.text(), secret), status);
  if (problem) return fromProblem(problem, response, secret);
  const call = `${method} ${url.origin}${url.pathname}`;
  return new ArmatureError(
    `${call} has a response that is none of the API: ${status} ${response.statusText}`.trimEnd(),
    {
      status,
      code: 'UNREACHABLE',
      headers: withoutSecret(response.headers, secret),
    },
  );
}

/** JSON as its value, a stream as it comes, what is to be saved and what is no text as a blob, and else text. */
async function readData(response: Response): Promise<unknown> {
  const type = mediaType(response.headers);
  if (response.status === 204 || response.status === 304 || !response.body) return undefined;
  if (type === 'text/event-stream' || type === 'application/x-ndjson') return response.body;
  if (response.headers.get('content-disposition')?.startsWith('attachment')) return response.blob();
  if (isJson(type)) {
    const text = await response.text();
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  }
  return /^text\/|[/+](yaml|xml)$/.test(type) ? response.text() : response.blob();
}

function fromProblem(problem: Problem, { status, headers }: Response, secret: string | undefined): ArmatureError {
  const { detail, code } = problem;
  return new ArmatureError(detail, { status, code, headers: withoutSecret(headers, secret), problem });
}

/** A problem of the API has a code and the id of its request, unlike a page of a proxy. */
function parseProblem(text: string, status: number): Problem | undefined {
  try {
    const value = JSON.parse(text) as Partial<Problem> | null;
    if (typeof value?.code === 'string' && typeof value.request_id === 'string') return value as Problem;
    return findGraphqlProblem(value, status);
  } catch {
    return undefined;
  }
}

/** The first error of a GraphQL response, whose extensions are the members of a problem. */
export function findGraphqlProblem(body: unknown, status: number): Problem | undefined {
  const { errors } = (body ?? {}) as { errors?: { message: string; extensions?: Partial<Problem> }[] };
  const [first] = Array.isArray(errors) ? errors : [];
  if (!first?.extensions?.code) return undefined;
  const { message, extensions } = first;
  return { ...extensions, status, detail: message, error: message, errors: extensions.errors ?? [] } as Problem;
}

function isRedirect({ type, status, headers }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400 && headers.has('location'));
}

/** The API has no page that a program asks for; a proxy or another server has. */
function isForeign(headers: Headers): boolean {
  return mediaType(headers) === 'text/html';
}

function withoutSecret(headers: Headers, secret: string | undefined): Headers {
  return new Headers([...headers].map(([name, value]) => [name, hide(value, secret)]));
}

/** What echoes a request may repeat its token. */
export function hide(text: string, secret: string | undefined): string {
  return secret ? text.replaceAll(secret, '(hidden)') : text;
}

function mediaType(headers: Headers): string {
  return (headers.get('content-type') ?? '').replace(/;.*/s, '').trim().toLowerCase();
}

function isJson(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json');
}
