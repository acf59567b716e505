import { attachment, fileName } from './download.js';

describe('a download', () => {
  it('is named in ASCII when that is enough, and otherwise both ways', () => {
    expect(attachment('shop.yaml')).toBe('attachment; filename="shop.yaml"');
    expect(attachment('Bücher 書.yaml')).toBe(
      'attachment; filename="Bucher _.yaml"; filename*=UTF-8\'\'B%C3%BCcher%20%E6%9B%B8.yaml',
    );
    expect(attachment(`it's (1).yaml`)).toBe(`attachment; filename="it's (1).yaml"`);
    expect(attachment('ü(1).yaml')).toContain("filename*=UTF-8''%C3%BC%281%29.yaml");
  });

  it('has no way out of its header or its folder', () => {
    for (const name of [
      'a"; filename=evil.sh',
      'a\r\nSet-Cookie: x=1',
      '../../etc/passwd',
      '\u202egnp.exe',
      '\ud800',
    ]) {
      const header = attachment(fileName(name, 'design'));
      expect(header).toMatch(/^attachment; filename="[^"\\]*"(; filename\*=UTF-8''[\w%.!#$&+^`|~-]*)?$/);
      expect(header).not.toMatch(/[\r\n]|\.\.\//);
    }
    expect(fileName('..', 'design')).toBe('design');
    expect(fileName('x'.repeat(500), 'design')).toHaveLength(150);
  });
});
