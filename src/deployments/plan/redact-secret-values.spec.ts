import { TRUNCATION_MARK } from '../../kubernetes/clusters/sanitize-cluster-text.js';
import { redactSecretValues } from './redact-secret-values.js';

const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'keys' },
  data: { encoded: Buffer.from('hush hush').toString('base64') },
  stringData: { plain: 'first\r\nsecond' },
};

describe('a message about a Secret', () => {
  it('is reported without its values, also when control characters were removed', () => {
    const message = 'keys holds hush hush, and first\r\nsecond, or first\nsecond';
    expect(redactSecretValues(message, secret)).toBe('keys holds (hidden), and (hidden), or (hidden)');
  });

  it('is reported without its values as an API server quotes and encodes them', () => {
    const { stringData, ...rest } = { ...secret, stringData: { plain: 'say "hush"\n' } };
    const message = `denied: "say \\"hush\\"\\n" is ${Buffer.from(stringData.plain).toString('base64')}`;
    expect(redactSecretValues(message, { ...rest, stringData })).toBe('denied: "(hidden)" is (hidden)');
  });

  it('is not reported when it was truncated, because it may end with a part of a value', () => {
    expect(redactSecretValues(`keys holds hush hu${TRUNCATION_MARK}`, secret)).not.toContain('hush');
    const plain = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'hush' } };
    expect(redactSecretValues(`holds hush${TRUNCATION_MARK}`, plain)).toBe(`holds hush${TRUNCATION_MARK}`);
  });
});
