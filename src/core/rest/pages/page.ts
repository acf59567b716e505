import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Request, Response } from 'express';
import type { AppError } from '../../errors/app-error.js';
import { getRequestPath } from '../../telemetry/request-context.js';
import { varyBy } from '../../responses/vary.js';
import { escapeHtml } from './html.js';

/** A small page that a link in a mail opens. */
export interface Page {
  title: string;
  /** HTML below the heading. */
  body: string;
  /** Runs at the end of the page. */
  script?: PageScript;
  /** Whether a form is sent without a script. */
  sendsForm?: boolean;
}

/** A text that a page contains, with its hash for the policy. */
export class PageScript {
  readonly source: string;

  constructor(readonly text: string) {
    this.source = `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  }

  /** Reads a file beside a module. */
  static read(name: string, moduleUrl: string): PageScript {
    return new PageScript(readFileSync(new URL(name, moduleUrl), 'utf8'));
  }
}

const STYLE = PageScript.read('./page.css', import.meta.url);
/** Sends forms to the API: `data-post` is the URL, `data-done` what the page says afterwards, `data-sign-in` signs in for it. */
export const FORMS = PageScript.read('./forms.js', import.meta.url);

const pageRequests = new WeakSet<Request>();

/** Whether a browser asks, rather than a program: it gets a page, also of an error. */
export function isPageRequested(request: Request, response: Response): boolean {
  varyBy(response, 'Accept');
  if (request.accepts(['json', 'html']) !== 'html') return false;
  pageRequests.add(request);
  return true;
}

/** Sets the headers of a page. @returns its HTML */
export function renderPage(response: Response, { title, body, script, sendsForm = false }: Page): string {
  const policy = [
    "default-src 'none'",
    `style-src ${STYLE.source}`,
    ...(script ? [`script-src ${script.source}`, "connect-src 'self'"] : []),
    `form-action ${sendsForm ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  response.set({ 'Content-Security-Policy': policy.join('; '), 'Referrer-Policy': 'no-referrer' });
  response.set('Cache-Control', 'no-store').type('html');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${STYLE.text}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
${script ? '<noscript><p>This page needs JavaScript.</p></noscript>' : ''}
</main>
${script ? `<script>${script.text}</script>` : ''}
</body>
</html>
`;
}

/** The page of an error, where a page was asked for. */
export function renderErrorPage(request: Request, response: Response, error: AppError): string | undefined {
  if (!pageRequests.has(request)) return undefined;
  const title = error.status === 410 || error.status === 404 ? 'This link does not work' : error.title;
  return renderPage(response, { title, body: `<p>${escapeHtml(toSentence(error.message))}</p>` });
}

/** The relative URL of the first path, which works below any path prefix of a proxy. */
export const rootOf = (request: Request): string => '../'.repeat(getRequestPath(request).split('/').length - 2);

const toSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** A labelled field of a form. */
export const renderField = (label: string, attributes: Record<string, string>): string =>
  `<label>${escapeHtml(label)}<input${Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeHtml(value)}"`)
    .join('')}></label>`;

/** The field of a password that is chosen, with the address for password managers. */
export const renderNewPassword = (email: string): string =>
  renderField('E-mail address', { type: 'email', autocomplete: 'username', value: email, readonly: '' }) +
  renderField('New password, at least 8 characters', {
    name: 'password',
    type: 'password',
    autocomplete: 'new-password',
    minlength: '8',
    maxlength: '1000',
    required: '',
  });

/** A form that `FORMS` sends. */
export const renderForm = (data: Record<string, string>, fields: string, button: string): string =>
  `<form${Object.entries(data)
    .map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`)
    .join('')}>
${fields}
<p role="alert"></p>
<button>${escapeHtml(button)}</button>
</form>`;

/** What is there until a form was sent, and the place of what is said then. */
export const renderOpen = (content: string): string =>
  `<div id="open">\n${content}\n</div>\n<p id="done" role="status"></p>`;
