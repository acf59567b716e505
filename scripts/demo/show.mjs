// Reads an answer of the server on standard input and prints it for people. Exit code 1 when it is an error, which is printed
// with its remedy on standard error.
//
//   show                             the whole answer, indented
//   show .id                         one field of it, as text; a path such as .connected[0].connection_id is one too
//   show resources kind name status  a list of it as a table with these columns; "." is the answer itself
//   show .plan_id resources kind     both: the field, and the table on standard error
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { problemLines } from './problem-lines.mjs';

/** An answer: JSON, or events as `text/event-stream` has them. */
function parse(input) {
  try {
    return JSON.parse(input);
  } catch {
    const events = [...input.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data));
    return events.length > 0 ? events : null;
  }
}

/** @param path names and indexes: `connected[0].connection_id`; empty for the value itself */
function at(value, path) {
  const names = path.match(/[^.[\]]+/g) ?? [];
  return names.reduce((each, name) => each?.[name], value);
}

const cell = (value) =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : `${value}`;

function table(rows, columns) {
  const lines = [
    columns.map((name) => name.toUpperCase()),
    ...rows.map((row) => columns.map((name) => cell(at(row, name)))),
  ];
  const widths = columns.map((_name, index) => Math.max(...lines.map((line) => line[index].length)));
  return lines
    .map((line) =>
      line
        .map((each, index) => each.padEnd(widths[index]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function fail(...lines) {
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exit(1);
}

const input = await text(process.stdin);
const answer = parse(input);
if (input.trim() === '') fail('There is no answer: is the server running, and are all variables of the call set?');
if (answer === null) fail('The answer is no JSON:', input.slice(0, 500));
if (answer.code && answer.detail) fail(...problemLines(answer));
if (Array.isArray(answer.errors) && answer.data !== undefined)
  fail(...answer.errors.map(({ message, extensions }) => problemLines({ detail: message, ...extensions }).join('\n')));

const [first = '', ...others] = process.argv.slice(2);
const isField = /^\../.test(first);
const [list, ...columns] = isField ? others : [first, ...others];
if (list) {
  const rows = at(answer, list);
  if (!Array.isArray(rows)) fail(`The answer has no list ${list}:`, JSON.stringify(answer, null, 2));
  (isField ? process.stderr : process.stdout).write(`${table(rows, columns)}\n`);
}
if (isField) {
  const value = at(answer, first);
  if (value === undefined || value === null) fail(`The answer has no ${first}:`, JSON.stringify(answer, null, 2));
  process.stdout.write(`${cell(value)}\n`);
} else if (!list) process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
