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

  it('is reported without its values in the base64 that others make of them, however the Secret wraps it', () => {
    const value = 'correct horse battery staple, and more than a line of base64 has';
    const encoded = Buffer.from(value).toString('base64');
    const data = { a: `${encoded.slice(0, 20)}\n${encoded.slice(20)}\n` };
    expect(redactSecretValues(`holds ${encoded}, ${value}`, { ...secret, data })).toBe('holds (hidden), (hidden)');
  });

  it('is not reported when it was truncated, because it may end with a part of a value', () => {
    expect(redactSecretValues(`keys holds hush hu${TRUNCATION_MARK}`, secret)).not.toContain('hush');
    const plain = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'hush' } };
    expect(redactSecretValues(`holds hush${TRUNCATION_MARK}`, plain)).toBe(`holds hush${TRUNCATION_MARK}`);
  });

  it('keeps the words of a message that equal a value, and hides the value where it is shown as a whole', () => {
    const pod = (value: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'a', env: [{ name: 'A', value }] }] },
    });
    const message = 'spec.containers[0].name: Required value: must be a name of at most 63 characters';
    for (const word of ['name', 'must', 'value', 'Required', 'ame', '63', 'characters'])
      expect(redactSecretValues(message, pod(word))).toBe(message);
    expect(redactSecretValues('Invalid value: "name": is no name', pod('name'))).toBe(
      'Invalid value: "(hidden)": is no name',
    );
    expect(redactSecretValues('spec.port: Invalid value: 8080: is 8080', pod('8080'))).toBe(
      'spec.port: Invalid value: (hidden): is 8080',
    );
    const safe = 'refused postgres://me:(hidden)@db and (hidden)';
    expect(redactSecretValues('refused postgres://me:hunter2@db and hunter2', pod('hunter2'))).toBe(safe);
    expect(redactSecretValues('holds "a\\nb-c"', pod('a\nb-c'))).toBe('holds "(hidden)"');
  });
});
