import { toPlainClusterText } from './plain-cluster-text.js';

describe('What an API server says of invalid values', () => {
  it.each([
    [
      'Deployment.apps "web" is invalid: spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"a: }"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
      'Deployment.apps "web" is invalid: spec.selector: field is immutable',
    ],
    [
      'Job.batch "a" is invalid: [spec.template: Invalid value: core.PodTemplateSpec{ObjectMeta:v1.ObjectMeta{Name:""}, Spec:core.PodSpec{Image:"a:1"}}: field is immutable, spec.completions: Invalid value: 2: field is immutable]',
      'Job.batch "a" is invalid: [spec.template: field is immutable, spec.completions: Invalid value: 2: field is immutable]',
    ],
    [
      'spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` does not match template `labels`',
      'spec.selector: `selector` does not match template `labels`',
    ],
    [
      `metadata.name: Invalid value: "${'x'.repeat(300)}": must be no more than 253 characters`,
      'metadata.name: must be no more than 253 characters',
    ],
    ['metadata.name: Invalid value: "A": a lowercase name', 'metadata.name: Invalid value: "A": a lowercase name'],
    [
      'spec: Invalid value: v1.Spec{Cut:map[string]string{"a":',
      'spec: Invalid value: v1.Spec{Cut:map[string]string{"a":',
    ],
    ['a pod was not found', 'a pod was not found'],
  ])('%s', (said, plain) => {
    expect(toPlainClusterText(said)).toBe(plain);
  });

  it('is read in time that grows with its length only', () => {
    const began = performance.now();
    toPlainClusterText('Invalid value: {"'.repeat(20_000));
    expect(performance.now() - began).toBeLessThan(500);
  });
});
