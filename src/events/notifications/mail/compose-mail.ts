import { type Mail, toSingleLine } from '../../../core/mail/mailer.js';
import { escapeHtml } from '../../../core/rest/pages/html.js';
import type { MailFrequency } from '../notification-preferences.js';
import type { MailedEvent, MailedEvents } from './mail-events.store.js';

/** The content of a mail besides the events. */
export interface MailContext {
  to: string;
  frequency: MailFrequency;
  timezone: string;
  baseUrl: string;
  messageId: string;
  unsubscribeUrl: string;
}

const TITLES: Record<MailFrequency, string> = {
  realtime: 'notifications',
  hourly: 'notifications of the last hour',
  daily: 'notifications of the day',
};
const MAX_LINE = 500;

/** Composes the mail about these events, in plain text and HTML. */
export function composeMail({ listed, total }: MailedEvents, context: MailContext): Mail {
  const { to, frequency, timezone, baseUrl, messageId, unsubscribeUrl } = context;
  const { host } = new URL(baseUrl);
  const [only] = listed;
  const title = total === 1 && only ? toLine(only.description) : `${total} ${TITLES[frequency]}`;
  const times = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, dateStyle: 'medium', timeStyle: 'short' });
  const lines = listed.map((event) => ({
    when: times.format(event.createdAt),
    where: toPlace(event),
    what: toLine(event.description),
    severity: event.severity,
  }));
  const more = total > listed.length ? `and ${total - listed.length} more` : '';
  const all = `${baseUrl}/api/notifications/page`;
  const settings = `${all}#settings`;
  const text = [
    ...lines.map(
      ({ when, where, what, severity }) => `- ${what}\n  ${[when, where, severity].filter(Boolean).join(', ')}`,
    ),
    ...(more ? [more] : []),
    `Times are those of ${timezone}. All of them: ${all}\nSettings: ${settings}\nUnsubscribe: ${unsubscribeUrl}`,
  ].join('\n\n');
  const items = lines.map(
    ({ when, where, what, severity }) =>
      `<li><strong>${escapeHtml(what)}</strong><br><small>${escapeHtml([when, where, severity].filter(Boolean).join(', '))}</small></li>`,
  );
  const html = `<!doctype html>
<html lang="en"><body>
<ul>
${items.join('\n')}
</ul>
${more ? `<p>${escapeHtml(more)}</p>\n` : ''}<p><small>Times are those of ${escapeHtml(timezone)}. <a href="${escapeHtml(all)}">All of them</a>,
<a href="${escapeHtml(settings)}">settings</a>, <a href="${escapeHtml(unsubscribeUrl)}">unsubscribe</a></small></p>
</body></html>
`;
  return { to, subject: `[${host}] ${title}`, text: `${text}\n`, html, messageId, unsubscribeUrl };
}

const toPlace = ({ organization, workspace }: MailedEvent): string =>
  [organization, workspace]
    .filter((name): name is string => name !== null)
    .map(toLine)
    .join(' / ');

/** Limits the length, because names are user input. */
const toLine = (text: string): string => toSingleLine(text).slice(0, MAX_LINE).toWellFormed();
