import { Failure } from './failure.js';

/** What a YAML or JSON text says. @throws Failure that names the line and repeats nothing of it, for it may be a secret */
export async function parseYaml(text: string, name: string): Promise<unknown> {
  const { LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const [error] = parsed.errors;
  if (error) throw new Failure(faultAt(name, lines.linePos(error.pos[0]).line, error.code), 'Correct the file.');
  try {
    return parsed.toJS({ maxAliasCount: 100 }) as unknown;
  } catch {
    throw new Failure(`${name}: ${ALIAS_FAULT}`, 'Correct the file.');
  }
}

/** Where faulty YAML is and what kind of fault it is, such as "bad indent". */
export const faultAt = (name: string, line: number, code: string): string =>
  `${name}:${line}: this is no YAML: ${code.toLowerCase().replaceAll('_', ' ')}`;

export const ALIAS_FAULT = 'an alias has no anchor before it, or there are too many';
