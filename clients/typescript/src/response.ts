import { ArmatureError } from './armature-error.js';
import type { Problem } from './generated/types.gen.js';

/** A response of the API, with its body as the media type says. */
export interface ApiResponse<Data = unknown> {
  status: number;
  headers: Headers;
  data: Data;
}

/** Reads a response of the API, or the error that it is. A token that was sent is in no error. */
export async function readResponse(
  response: Response,
  { method, url, secret }: { method: string; url: URL; secret: string | undefined },
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
  if (status < 400 && !isForeign(response.headers))
    return { status, headers: response.headers, data: await readData(response) };
  const text = hide(await response.text(), secret);
  return toError(response, text, `${method} ${url.origin}${url.pathname}`, withoutSecret(response.headers, secret));
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

function toError({ status, statusText }: Response, text: string, call: string, headers: Headers): ArmatureError {
  const problem = parseProblem(text);
  if (problem) return new ArmatureError(problem.detail, { status, code: problem.code, headers, problem });
  return new ArmatureError(`${call} has a response that is none of the API: ${status} ${statusText}`.trimEnd(), {
    status,
    code: 'UNREACHABLE',
    headers,
  });
}

/** A problem of the API has a code and the id of its request, unlike a page of a proxy. */
function parseProblem(text: string): Problem | undefined {
  try {
    const value = JSON.parse(text) as Partial<Problem> | null;
    return typeof value?.code === 'string' && typeof value.request_id === 'string' ? (value as Problem) : undefined;
  } catch {
    return undefined;
  }
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
