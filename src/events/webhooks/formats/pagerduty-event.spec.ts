import type { Severity } from '../../../core/events/domain-event.js';
import { toPagerDutyEvent } from './pagerduty-event.js';
import type { WebhookMessage } from './webhook-message.js';

const message = (category: string, action: string, severity: Severity, actedUpon: string): WebhookMessage => ({
  ...{ id: 'e', sequence: '1', organizationId: 'o', workspaceId: 'w', userId: 'u', operationId: null },
  ...{ category, action, severity, actedUpon, description: `${'a'.repeat(1_022)}😀 failed` },
  metadata: { design_id: 'd', environment_id: 'n' },
  createdAt: new Date('2026-01-01T00:00:00Z'),
});
const send = (...args: Parameters<typeof message>) =>
  JSON.parse(toPagerDutyEvent(message(...args), 'https://armature.example.org', 'key').body) as Record<string, unknown>;

it('a deployment that fails is resolved by the next one of its design to its environment', () => {
  const alert = { dedup_key: 'deployment:d:n' };
  expect(send('deployment', 'failure', 'error', 'first')).toMatchObject({ ...alert, event_action: 'trigger' });
  expect(send('deployment', 'started', 'informational', 'second')).toEqual({
    ...{ ...alert, routing_key: 'key', event_action: 'acknowledge' },
  });
  expect(send('deployment', 'success', 'success', 'second')).toMatchObject({ ...alert, event_action: 'resolve' });
});

it('the alert of any other record is its own', () => {
  expect(send('webhook', 'failing', 'warning', 'x')).toMatchObject({ event_action: 'trigger', dedup_key: 'webhook:x' });
  expect(send('webhook', 'updated', 'informational', 'x')).toMatchObject({
    ...{ event_action: 'resolve', dedup_key: 'webhook:x' },
  });
});

it('a summary is cut between characters', () => {
  const { payload } = send('deployment', 'failure', 'error', 'x');
  expect((payload as { summary: string }).summary).toBe(`${'a'.repeat(1_022)}…`);
});
