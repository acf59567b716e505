/** A token of an action of a Go template. A chain of fields, such as `.Values.name`, has one token a field. */
export interface TemplateToken {
  kind: 'space' | 'text' | 'variable' | 'field' | 'word' | 'open' | 'close' | 'pipe' | 'sign';
  text: string;
}

/** One `{{ … }}` of a template. */
export interface TemplateAction {
  /** Offsets of the delimiters. */
  start: number;
  end: number;
  /** From 1. */
  line: number;
  /** `{{` or `{{-`, and `}}` or `-}}`. */
  open: string;
  close: string;
  tokens: TemplateToken[];
}

const TOKENS: readonly [TemplateToken['kind'], RegExp][] = [
  ['space', /\s+/y],
  ['text', /"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)*'/y],
  ['variable', /\$[\p{L}\p{N}_]*/uy],
  ['field', /\.[\p{L}\p{N}_]*/uy],
  ['word', /[\p{L}_][\p{L}\p{N}_]*/uy],
  ['text', /[+-]?[0-9][\w.]*(?:(?<=[eEpP])[+-][0-9]+)?/y],
  ['open', /\(/y],
  ['close', /\)/y],
  ['pipe', /\|/y],
  ['sign', /:=|=|,/y],
];
const COMMENT = /\{\{(?:-\s)?\s*\/\*/y;
const BLANK = /\s/;

/** The actions of a template without its comments; undefined for text that Go cannot read as a template. */
export function readActions(text: string): TemplateAction[] | undefined {
  const actions: TemplateAction[] = [];
  let line = 1;
  let lineEnd = text.indexOf('\n');
  for (let start = text.indexOf('{{'); start >= 0;) {
    for (; lineEnd >= 0 && lineEnd < start; lineEnd = text.indexOf('\n', lineEnd + 1)) line += 1;
    COMMENT.lastIndex = start;
    if (COMMENT.test(text)) {
      const end = text.indexOf('*/', COMMENT.lastIndex);
      if (end < 0) return undefined;
      start = text.indexOf('{{', end);
      continue;
    }
    const action = readAction(text, start);
    if (!action) return undefined;
    actions.push({ ...action, line });
    start = text.indexOf('{{', action.end);
  }
  return actions;
}

function readAction(text: string, start: number): Omit<TemplateAction, 'line'> | undefined {
  const open = text[start + 2] === '-' && BLANK.test(text[start + 3] ?? '') ? '{{-' : '{{';
  const tokens: TemplateToken[] = [];
  for (let at = start + open.length; at < text.length;) {
    const close = text.startsWith('}}', at)
      ? '}}'
      : tokens.at(-1)?.kind === 'space' && text.startsWith('-}}', at)
        ? '-}}'
        : undefined;
    if (close !== undefined) return { start, end: at + close.length, open, close, tokens };
    const token = readToken(text, at);
    if (!token) return undefined;
    tokens.push(token);
    at += token.text.length;
  }
  return undefined;
}

function readToken(text: string, at: number): TemplateToken | undefined {
  for (const [kind, form] of TOKENS) {
    form.lastIndex = at;
    const [found] = form.exec(text) ?? [];
    if (found !== undefined) return { kind, text: found };
  }
  return undefined;
}
