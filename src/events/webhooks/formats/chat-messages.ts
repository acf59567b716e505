import type { Severity } from '../../../core/events/domain-event.js';
import { jsonBody, kindOf, truncate, type WebhookBody, type WebhookMessage } from './webhook-message.js';

/** After escaping at most 3,000 characters, which all these systems accept. */
const MAX_TEXT = 590;

type Tone = 'good' | 'warning' | 'danger' | 'neutral';

const TONES: Record<Severity, Tone> = {
  success: 'good',
  warning: 'warning',
  error: 'danger',
  critical: 'danger',
  alert: 'danger',
  emergency: 'danger',
  informational: 'neutral',
  debug: 'neutral',
};

const COLORS: Record<Tone, string> = { good: '#2eb67d', warning: '#ecb22e', danger: '#e01e5a', neutral: '#6b7280' };
const TEAMS_COLORS: Record<Tone, string> = {
  good: 'Good',
  warning: 'Warning',
  danger: 'Attention',
  neutral: 'Default',
};

/** Removes line breaks: one in a name would start a quote, a list or a heading. */
const toLine = (text: string): string => truncate(text.replace(/\s+/g, ' '), MAX_TEXT);

/** Escapes the markup of Slack (`&`, `<`, `>`) and mentions such as `@here` in user text. */
const escapeSlack = (text: string): string =>
  toLine(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/@(?=here|channel|everyone)/gi, '@\u200b');

/** Escapes Markdown and mentions in user text. */
const escapeMarkdown = (text: string): string =>
  toLine(text)
    .replace(/[\\`*_{}[\]()#+!|<>~]/g, '\\$&')
    .replace(/@/g, '@\u200b');

/** With `verbatim`, Slack turns names into neither links nor mentions. */
const slackText = (text: string) => ({ type: 'mrkdwn', text, verbatim: true });

const factsOf = (message: WebhookMessage): [string, string][] => [
  ['Kind', kindOf(message)],
  ['Severity', message.severity],
  ['Time', message.createdAt.toISOString()],
];

export function toSlackMessage(message: WebhookMessage): WebhookBody {
  const facts = factsOf(message).map(([name, value]) => `*${name}:* ${escapeSlack(value)}`);
  return jsonBody({
    text: escapeSlack(message.description),
    attachments: [
      {
        color: COLORS[TONES[message.severity]],
        blocks: [{ type: 'context', elements: facts.map(slackText) }],
      },
    ],
  });
}

/** An adaptive card for a workflow of Teams. */
export function toTeamsMessage(message: WebhookMessage): WebhookBody {
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      {
        type: 'TextBlock',
        text: escapeMarkdown(message.description),
        weight: 'Bolder',
        wrap: true,
        color: TEAMS_COLORS[TONES[message.severity]],
      },
      { type: 'FactSet', facts: factsOf(message).map(([title, value]) => ({ title, value })) },
    ],
  };
  return jsonBody({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card }],
  });
}

export function toMattermostMessage(message: WebhookMessage): WebhookBody {
  const text = escapeMarkdown(message.description);
  return jsonBody({
    text,
    attachments: [
      {
        fallback: text,
        color: COLORS[TONES[message.severity]],
        fields: factsOf(message).map(([title, value]) => ({ title, value, short: true })),
      },
    ],
  });
}
