import { type Fault } from '../../core/errors/app-error.js';
import { type SourceFile } from '../sources/source-file.js';

/** `chart/templates/a.yaml:6:18`, the location format of Go templates and Helm; the column counts from 0. */
const TEMPLATE_POSITION = /(?<![\w.+@/-])([\w.+-]+\/(?:[\w.+@-]+\/)*[\w.+@-]+):(\d+)(?::(\d+))?/g;
/** Lines of a log, and advice for a terminal. */
const LOG_LINE = /^(?:Use --debug flag .*|level=\w+ .*|time=.*|walk\.go:.*|\d{4}\/\d\d\/\d\d .*)$/gm;
const YAML_ERROR = /YAML parse error on ([^\s:]+): ([^]*)/;
const LOAD_ERROR = /^cannot load ([^\s:]+): ([^]*)/;
const SCHEMA_ERROR = /values don't meet the specifications of the schema/;
const MAX_DETAIL_LENGTH = 500;
/** More repetitions of one location occur only in recursive templates. */
const CIRCLE_OCCURRENCES = 20;

/** The errors of Helm on standard error, as faults at their locations, with the paths of the files. */
export function parseHelmFaults(said: string, files: ReadonlyMap<string, SourceFile>): Fault[] {
  const text = said
    .replace(LOG_LINE, '')
    .replace(/^Error: /m, '')
    .trim();
  const chart = files.get('Chart.yaml')?.path ?? 'Chart.yaml';
  if (SCHEMA_ERROR.test(text)) return parseSchemaFaults(text, files);
  const [, unread, reason] = LOAD_ERROR.exec(text) ?? [];
  if (unread !== undefined) {
    return [{ file: files.get(unread)?.path ?? chart, detail: shorten(reason ?? ''), remedy: 'Correct this file.' }];
  }
  const garbage = YAML_ERROR.exec(text);
  if (garbage) {
    const detail = `renders to something that is not YAML: ${shorten(garbage[2]?.replace('error converting YAML to JSON: yaml: ', '') ?? '')}`;
    return [
      { file: resolvePath(garbage[1] ?? '', files), detail, remedy: 'Correct the template or the values it uses.' },
    ];
  }
  const places = [...text.matchAll(TEMPLATE_POSITION)].filter(([, path = '']) => isMember(path, files));
  const last = places.at(-1);
  if (!last) return [{ file: chart, detail: shorten(text) || 'Helm refuses this chart and does not say why' }];
  const [whole, path = '', line, column] = last;
  const at = {
    file: resolvePath(path, files),
    line: Number(line),
    column: column === undefined ? 1 : Number(column) + 1,
  };
  if (places.filter(([place]) => place === whole).length >= CIRCLE_OCCURRENCES) {
    return [{ ...at, detail: 'the templates include one another without end', remedy: 'Take the circle apart.' }];
  }
  if (/unexpected EOF|unexpected \{\{end\}\}/.test(text)) return [{ ...at, ...describeUnbalanced(text) }];
  const detail = shorten(text.slice(last.index + whole.length).replace(/^[):\s]*(?:executing "[^"]*" )?/, ''));
  return [{ ...at, detail: detail || shorten(text), remedy: remedyFor(text) }];
}

function describeUnbalanced(text: string): Pick<Fault, 'detail' | 'remedy'> {
  return text.includes('unexpected EOF')
    ? {
        detail: 'the template ends within an "if", "range", "with", "define" or "block"',
        remedy: 'Add the missing "{{ end }}".',
      }
    : {
        detail: 'an "{{ end }}" closes nothing',
        remedy: 'Remove it, or add the "if", "range" or "with" that it closes.',
      };
}

/** Helm lists each chart, and below it a line for each invalid value. */
function parseSchemaFaults(text: string, files: ReadonlyMap<string, SourceFile>): Fault[] {
  const file = files.get('values.yaml')?.path ?? files.get('Chart.yaml')?.path ?? 'values.yaml';
  const lines = text.split('\n').filter((line) => /^\s*- /.test(line));
  const remedy = 'Send values that fit the schema of the chart (values.schema.json).';
  if (lines.length === 0) return [{ file, detail: shorten(text), remedy }];
  return lines.slice(0, 100).map((line) => {
    const [, pointer, detail] = /^\s*- at '([^']*)': (.*)$/.exec(line) ?? [];
    if (detail === undefined) return { file, detail: `values: ${shorten(line.replace(/^\s*- /, ''))}`, remedy };
    return { file, pointer: `/values${pointer ?? ''}`, detail: `values${pointer ?? ''}: ${shorten(detail)}`, remedy };
  });
}

function remedyFor(text: string): string {
  if (/parse error|not defined|missing value|unexpected|unclosed/.test(text)) return 'Correct the template.';
  if (/nil pointer|execution error|required|fail/.test(text)) return 'Send the values that the chart asks for.';
  return 'Correct the template, or send other values.';
}

/** Helm begins paths with the name of the chart, regardless of its folder. */
function resolvePath(path: string, files: ReadonlyMap<string, SourceFile>): string {
  return files.get(path.slice(path.indexOf('/') + 1))?.path ?? path;
}

function isMember(path: string, files: ReadonlyMap<string, SourceFile>): boolean {
  return files.has(path.slice(path.indexOf('/') + 1)) || /\/(?:templates|charts)\//.test(path);
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_DETAIL_LENGTH ? `${line.slice(0, MAX_DETAIL_LENGTH)}…` : line;
}
