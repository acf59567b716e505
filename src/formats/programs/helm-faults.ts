import { type Fault } from '../../core/errors/app-error.js';
import { type SourceFile } from '../source-file.js';

/** `chart/templates/a.yaml:6:18`, as Go templates and Helm name a place; the column counts from 0. */
const PLACE = /(?<![\w.+@/-])([\w.+-]+\/(?:[\w.+@-]+\/)*[\w.+@-]+):(\d+)(?::(\d+))?/g;
/** Lines of a log, and advice for a terminal. */
const NOISE = /^(?:Use --debug flag .*|level=\w+ .*|time=.*|walk\.go:.*|\d{4}\/\d\d\/\d\d .*)$/gm;
const GARBAGE = /YAML parse error on ([^\s:]+): ([^]*)/;
const UNREAD = /^cannot load ([^\s:]+): ([^]*)/;
const SCHEMA = /values don't meet the specifications of the schema/;
const LONGEST = 500;
/** So often the same place comes only in templates that go round in a circle. */
const CIRCLE = 20;

/** What Helm said on standard error, as faults at the places that it names, in the paths of the files. */
export function faultsOfHelm(said: string, files: ReadonlyMap<string, SourceFile>): Fault[] {
  const text = said
    .replace(NOISE, '')
    .replace(/^Error: /m, '')
    .trim();
  const chart = files.get('Chart.yaml')?.path ?? 'Chart.yaml';
  if (SCHEMA.test(text)) return faultsOfSchema(text, files);
  const [, unread, reason] = UNREAD.exec(text) ?? [];
  if (unread !== undefined) {
    return [{ file: files.get(unread)?.path ?? chart, detail: short(reason ?? ''), remedy: 'Correct this file.' }];
  }
  const garbage = GARBAGE.exec(text);
  if (garbage) {
    const detail = `renders to something that is not YAML: ${short(garbage[2]?.replace('error converting YAML to JSON: yaml: ', '') ?? '')}`;
    return [{ file: pathOf(garbage[1] ?? '', files), detail, remedy: 'Correct the template or the values it uses.' }];
  }
  const places = [...text.matchAll(PLACE)].filter(([, path = '']) => isMember(path, files));
  const last = places.at(-1);
  if (!last) return [{ file: chart, detail: short(text) || 'Helm refuses this chart and does not say why' }];
  const [whole, path = '', line, column] = last;
  const at = {
    file: pathOf(path, files),
    line: Number(line),
    column: column === undefined ? 1 : Number(column) + 1,
  };
  if (places.filter(([place]) => place === whole).length >= CIRCLE) {
    return [{ ...at, detail: 'the templates include one another without end', remedy: 'Take the circle apart.' }];
  }
  const detail = short(text.slice(last.index + whole.length).replace(/^[):\s]*(?:executing "[^"]*" )?/, ''));
  return [{ ...at, detail: detail || short(text), remedy: remedyFor(text) }];
}

/** Helm lists each chart, and below it a line for each value that does not fit. */
function faultsOfSchema(text: string, files: ReadonlyMap<string, SourceFile>): Fault[] {
  const file = files.get('values.yaml')?.path ?? files.get('Chart.yaml')?.path ?? 'values.yaml';
  const lines = text.split('\n').filter((line) => /^\s*- /.test(line));
  const remedy = 'Send values that fit the schema of the chart (values.schema.json).';
  if (lines.length === 0) return [{ file, detail: short(text), remedy }];
  return lines.slice(0, 100).map((line) => {
    const [, pointer, detail] = /^\s*- at '([^']*)': (.*)$/.exec(line) ?? [];
    if (detail === undefined) return { file, detail: `values: ${short(line.replace(/^\s*- /, ''))}`, remedy };
    return { file, pointer: `/values${pointer ?? ''}`, detail: `values${pointer ?? ''}: ${short(detail)}`, remedy };
  });
}

function remedyFor(text: string): string {
  if (/parse error|not defined|missing value|unexpected|unclosed/.test(text)) return 'Correct the template.';
  if (/nil pointer|execution error|required|fail/.test(text)) return 'Send the values that the chart asks for.';
  return 'Correct the template, or send other values.';
}

/** Helm begins paths with the name of the chart, whatever its folder is called. */
function pathOf(path: string, files: ReadonlyMap<string, SourceFile>): string {
  return files.get(path.slice(path.indexOf('/') + 1))?.path ?? path;
}

function isMember(path: string, files: ReadonlyMap<string, SourceFile>): boolean {
  return files.has(path.slice(path.indexOf('/') + 1)) || /\/(?:templates|charts)\//.test(path);
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
