const MAX_HEADERS = 20;
const MAX_LENGTH = 4_096;
const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/i;
/** Headers of the connection, the body or the signature. */
const RESERVED =
  /^(webhook-|ce-|proxy-|sec-)|^(host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-.*|user-agent)$/i;
const TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;
const MAX_SHOWN = 100;

/** Validates custom headers. @returns the fault as a phrase that follows the name of the field, or undefined */
export function findHeaderFault(headers: object): string | undefined {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) return `must have at most ${MAX_HEADERS} names`;
  const seen = new Set<string>();
  for (const [name, text] of entries) {
    const fault = findFault(name, text);
    if (fault) return fault;
    if (seen.has(name.toLowerCase())) return `must have ${name} once: upper and lower case are the same name`;
    seen.add(name.toLowerCase());
  }
  return undefined;
}

function findFault(name: string, text: unknown): string | undefined {
  if (!NAME.test(name))
    return `must not have ${JSON.stringify(name.slice(0, MAX_SHOWN))}: it is not a valid header name`;
  if (RESERVED.test(name)) return `must not have ${name}: this server sets it itself, or it is of the connection`;
  if (typeof text !== 'string') return `must have a text as the value of ${name}`;
  if (text.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters as the value of ${name}`;
  if (!TEXT.test(text)) return `must have no line breaks, control characters or others beyond Latin-1 in ${name}`;
  return undefined;
}
