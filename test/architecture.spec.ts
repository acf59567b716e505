import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { drawIntoDocument } from '../scripts/diagram.mjs';

const documents = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((file) => `docs/${file}`),
].filter((file) => file.endsWith('.md'));
const decisions = readdirSync('docs/decisions').filter((file) => file !== 'README.md');

it('docs/architecture.md shows the imports of today', () => {
  const text = readFileSync('docs/architecture.md', 'utf8');
  expect(text).toBe(drawIntoDocument(text));
  expect(text.match(/ --> /g)?.length).toBeGreaterThan(10);
});

it('links between documents lead to files', () => {
  const broken = documents.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\]\((?!https?:|#|mailto:)([^)\s#]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !existsSync(path.resolve(path.dirname(file), target)))
      .map((target) => `${file}: ${target}`),
  );
  expect(broken).toEqual([]);
});

it('decisions are numbered without gaps, have a status and a date, and stand in the index', () => {
  const index = readFileSync('docs/decisions/README.md', 'utf8');
  expect(decisions.map((file) => Number(file.slice(0, 4)))).toEqual(decisions.map((_, at) => at + 1));
  for (const file of decisions) {
    const text = readFileSync(`docs/decisions/${file}`, 'utf8');
    expect({ file, status: /^- Status: (accepted|superseded by \d{4})$/m.test(text) }).toEqual({ file, status: true });
    expect({ file, date: /^- Date: \d{4}-\d{2}-\d{2}$/m.test(text) }).toEqual({ file, date: true });
    expect(index).toContain(`(${file})`);
  }
});
