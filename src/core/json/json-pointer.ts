/** `['a/b', 0]` → `/a~1b/0` (RFC 6901). */
export function toPointer(...segments: (string | number)[]): string {
  let pointer = '';
  for (const segment of segments) pointer += `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return pointer;
}

/** `/a~1b/0` → `['a/b', '0']` (RFC 6901). */
export function parsePointer(pointer: string): string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}
