import { readFileSync } from 'node:fs';
import { drawIntoDocument } from '../scripts/diagram.mjs';

it('docs/architecture.md shows the imports of today', () => {
  const text = readFileSync('docs/architecture.md', 'utf8');
  expect(text).toBe(drawIntoDocument(text));
  expect(text.match(/ --> /g)?.length).toBeGreaterThan(10);
});
