import type { Severity } from '../../../core/events/domain-event.js';
import { jsonBody, kindOf, type WebhookBody, type WebhookMessage } from './webhook-message.js';

/** What chat systems take in one text block. */
const MAX_TEXT = 2_900;

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

const truncate = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

/** Slack reads these three characters as markup: names must not mention channels or make links. */
const escapeSlack = (text: string): string =>
  truncate(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** Markdown, and mentions of people and channels, in names are shown as text. */
const escapeMarkdown = (text: string): string =>
  truncate(text)
    .replace(/[\\`*_{}[\]()#+!|<>~]/g, '\\$&')
    .replace(/@/g, '@\u200b');

const factsOf = (message: WebhookMessage): [string, string][] => [
  ['Kind', kindOf(message)],
  ['Severity', message.severity],
  ['Time', message.createdAt.toISOString()],
];

export function toSlackMessage(message: WebhookMessage): WebhookBody {
  const text = escapeSlack(message.description);
  const facts = factsOf(message).map(([name, value]) => `*${name}:* ${escapeSlack(value)}`);
  return jsonBody({
    text,
    attachments: [
      {
        color: COLORS[TONES[message.severity]],
        blocks: [
          { type: 'section', text: { type: 'mrkdwn', text } },
          { type: 'context', elements: facts.map((fact) => ({ type: 'mrkdwn', text: fact })) },
        ],
      },
    ],
  });
}

/** An adaptive card, as the workflows of Teams take it. */
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
        fallback: message.description.slice(0, MAX_TEXT),
        color: COLORS[TONES[message.severity]],
        fields: factsOf(message).map(([title, value]) => ({ title, value, short: true })),
      },
    ],
  });
}
