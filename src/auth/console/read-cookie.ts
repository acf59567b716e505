import type { Request } from 'express';

/** The value of a cookie whose values need no quotes; of several with the name, the one with the longest path. */
export function readCookie(request: Request, name: string): string | undefined {
  const pairs = request.headers.cookie?.split(';') ?? [];
  return pairs
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}
