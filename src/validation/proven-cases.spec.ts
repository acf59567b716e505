import { provenCases, provenDefinition } from '../../test/support/proven-cases.js';
import { compileSchema, validateBySchema } from './validate-by-schema.js';

describe('values that a real API server was asked about', () => {
  const cases = provenCases();
  const { schema, resources } = provenDefinition(cases, 'proof.example.com');
  const compiled = compileSchema(schema);
  const type = { apiVersion: 'proof.example.com/v1', kind: 'Proof' };

  it('are many', () => {
    expect(cases.length).toBeGreaterThan(450);
  });

  it.each(cases.map(({ line, isTaken }, index) => [line, isTaken, index] as const))('%s', (_, isTaken, index) => {
    const { errors, warnings } = validateBySchema(resources[index] ?? {}, compiled, { type });
    expect(errors.length === 0 ? 'takes' : 'refuses').toBe(isTaken ? 'takes' : 'refuses');
    expect(warnings.filter(({ keyword }) => keyword === 'not-judged')).toEqual([]);
  });
});
