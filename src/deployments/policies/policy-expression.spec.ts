import { assertPolicyExpression } from './policy-expression.js';

describe('The expression of a policy', () => {
  it.each([
    'true',
    'component.kind != "Secret"',
    '!(component.kind in ["Secret"])',
    'component.enabled',
    'design.labels["checked"]',
    'has(component.metadata)',
    'component.tags.all(tag, tag != "x")',
    'environment.tier == "production" ? component.replicas > 1 : true',
  ])('may be %s', (source) => expect(() => assertPolicyExpression(source)).not.toThrow());

  it.each([
    '1 + 1',
    '"yes"',
    'component',
    '-1',
    'null',
    '[true]',
    '{"a": true}',
    'size(design.components)',
    'component.tags.map(tag, tag == "x")',
    'true ? component.kind == "Pod" : "no"',
  ])('is never %s', (source) =>
    expect(() => assertPolicyExpression(source)).toThrow('expression is never true or false'),
  );
});
