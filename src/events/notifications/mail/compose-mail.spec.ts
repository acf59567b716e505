import { composeMail } from './compose-mail.js';
import type { MailedEvent } from './mail-events.store.js';

const event = (fields: Partial<MailedEvent> = {}): MailedEvent => ({
  description: 'Design shop was created',
  severity: 'informational',
  createdAt: new Date('2026-03-29T06:00:00Z'),
  organization: 'Default',
  workspace: 'Team',
  ...fields,
});
const compose = (listed: MailedEvent[], total = listed.length) =>
  composeMail(
    { listed, total },
    {
      to: 'a@example.org',
      frequency: 'daily',
      timezone: 'Europe/Berlin',
      baseUrl: 'https://armature.example',
      messageId: '<1@example.org>',
      unsubscribeUrl: 'https://armature.example/api/notifications/unsubscribe/t',
    },
  );

describe('a mail', () => {
  it('reports one event in its subject, of several in its body, and how many it leaves out', () => {
    expect(compose([event()]).subject).toBe('[armature.example] Design shop was created');
    const many = compose([event(), event({ description: 'Design other was deleted', workspace: null })], 61);
    expect(many.subject).toBe('[armature.example] 61 notifications of the day');
    expect(many.text).toContain('- Design other was deleted\n  29 Mar 2026, 08:00, Default, informational');
    for (const text of [many.text, many.html]) expect(text).toContain('and 59 more');
  });

  it('shows names of users as they are, whatever they hold', () => {
    const name = '"><script>alert(1)</script>\r\nBcc: all@example.org\u202e\u0000\ud800';
    const { subject, text, html } = compose([event({ description: name, workspace: '<b>&' })]);
    expect(subject).not.toMatch(/[\r\n\u202e\0]/);
    expect(text).not.toMatch(/^Bcc:/m);
    expect(html).not.toMatch(/<script|<b>|\u202e/);
    expect(html).toContain('&lt;script&gt;alert(1)');
    expect(html).toContain('&lt;b&gt;&amp;');
    expect(compose([event({ description: 'x'.repeat(10_000) })]).subject.length).toBeLessThan(600);
  });
});
