import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../core/access/access.decorators.js';
import { typeFragmentOf } from '../core/errors/problem.js';
import { ERROR_CODES, type ErrorCode } from '../core/errors/error-codes.js';

/** The page to which `type` of every problem document links. */
@Public()
@ApiExcludeController()
@Controller('docs/errors')
export class ErrorReferenceController {
  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Cache-Control', 'no-cache')
  page(): string {
    return PAGE;
  }
}

const toHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/`([^`]*)`/g, '<code>$1</code>');

const renderCode = ({ code, statuses, meaning }: ErrorCode): string =>
  `<dt id="${typeFragmentOf(code)}"><code>${code}</code> (${statuses.join(', ')})</dt><dd>${toHtml(meaning)}</dd>`;

const renderGroup = ([title, codes]: [string, readonly ErrorCode[]]): string =>
  `<h2>${toHtml(title)}</h2>\n<dl>\n${codes.map(renderCode).join('\n')}\n</dl>`;

const PAGE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Error codes</title>
<h1>Error codes</h1>
<p>The <code>code</code> of an answer names the failure, for programs. Its <code>detail</code> says what is wrong, <code>errors</code> where,
and <code>remedy</code> what to do. The routes are described in the <a href="../docs">reference</a>.</p>
${Object.entries(ERROR_CODES).map(renderGroup).join('\n')}
</html>
`;
