import type { IncomingHttpHeaders } from 'node:http';

/** The values of the cookies with a name, whose values need no quotes; those with the longest path are first. */
export function readCookies({ cookie = '' }: IncomingHttpHeaders, name: string): string[] {
  return cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
