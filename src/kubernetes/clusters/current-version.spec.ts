import { findCurrentVersion } from './current-version.js';

it('names the version of a group that replaces a removed one', () => {
  expect(findCurrentVersion('policy/v1beta1', ['policy/v1'])).toBe('policy/v1');
  expect(findCurrentVersion('autoscaling/v2beta2', ['autoscaling/v1', 'autoscaling/v2', 'autoscaling/v2beta1'])).toBe(
    'autoscaling/v2',
  );
  expect(findCurrentVersion('extensions/v1beta1', ['example.com/v1', 'networking.k8s.io/v1'])).toBe(
    'networking.k8s.io/v1',
  );
  expect(findCurrentVersion('serving.knative.dev/v1', ['v1'])).toBeUndefined();
});
