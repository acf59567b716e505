import { contentDisposition, toFileName } from './download.js';

describe('a download', () => {
  it('is named in ASCII when that is enough, and otherwise both ways', () => {
    expect(contentDisposition('shop.yaml')).toBe('attachment; filename="shop.yaml"');
    expect(contentDisposition('Bücher 書.yaml')).toBe(
      'attachment; filename="Bucher _.yaml"; filename*=UTF-8\'\'B%C3%BCcher%20%E6%9B%B8.yaml',
    );
    expect(contentDisposition(`it's (1).yaml`)).toBe(`attachment; filename="it's (1).yaml"`);
    expect(contentDisposition('ü(1).yaml')).toContain("filename*=UTF-8''%C3%BC%281%29.yaml");
  });

  it('has no way out of its header or its folder', () => {
    for (const name of [
      'a"; filename=evil.sh',
      'a\r\nSet-Cookie: x=1',
      '../../etc/passwd',
      '\u202egnp.exe',
      '\ud800',
    ]) {
      const header = contentDisposition(toFileName(name, 'design'));
      expect(header).toMatch(/^attachment; filename="[^"\\]*"(; filename\*=UTF-8''[\w%.!#$&+^`|~-]*)?$/);
      expect(header).not.toMatch(/[\r\n]|\.\.\//);
    }
    expect(toFileName('..', 'design')).toBe('design');
    expect(toFileName('x'.repeat(500), 'design')).toHaveLength(150);
  });
});
