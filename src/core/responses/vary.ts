import type { Response } from 'express';

/** Appends a header to `Vary`. */
export function varyBy(response: Response, header: string): void {
  if (response.hasHeader('Vary')) response.vary(header);
  else response.setHeader('Vary', header);
}
