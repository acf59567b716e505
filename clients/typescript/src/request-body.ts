type RequestBody = NonNullable<RequestInit['body']>;

/** What `fetch` sends for a body, and its media type where `fetch` does not know it. */
export function toRequestBody(body: unknown): { body?: RequestBody; contentType?: string } {
  if (body === undefined) return {};
  if (isSentAsItIs(body)) return { body };
  if (isRecord(body) && Object.values(body).some((value) => value instanceof Blob)) return { body: toForm(body) };
  return { body: JSON.stringify(body), contentType: 'application/json' };
}

function isSentAsItIs(body: unknown): body is RequestBody {
  return (
    [FormData, Blob, URLSearchParams, ArrayBuffer].some((type) => body instanceof type) || ArrayBuffer.isView(body)
  );
}

function isRecord(body: unknown): body is Record<string, unknown> {
  return typeof body === 'object' && body !== null && !Array.isArray(body);
}

/** Fields of a form are text: what is more than that goes as JSON. */
function toForm(body: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body))
    if (value instanceof Blob) form.append(name, value);
    else if (value !== undefined && value !== null)
      form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  return form;
}
