import { InvalidRequest } from '../../errors/app-error.js';

/** @throws InvalidRequest MALFORMED_JSON when the bytes are not UTF-8 or not JSON */
export function parseBody(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformed('is not UTF-8 text');
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's own message quotes the body, which may hold a secret.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw malformed(position ? `is not valid JSON at position ${position}` : 'is not valid JSON');
  }
}

function malformed(detail: string): InvalidRequest {
  return new InvalidRequest(`the body ${detail}`, {
    code: 'MALFORMED_JSON',
    errors: [{ pointer: '', detail }],
    remedy: 'Send a JSON object, and the header "Content-Type: application/json".',
  });
}
